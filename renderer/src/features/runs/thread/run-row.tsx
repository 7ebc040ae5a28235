import { IconGitCompare } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { Run } from '../../../api/generated/index.ts';
import { ShortId } from '../../../ui/short-id.tsx';
import { TimeAgo } from '../../../ui/time-ago.tsx';
import { RunDuration } from '../run-duration.tsx';
import { errorTitle } from '../run-error.tsx';
import { runUuid } from '../run-queries.ts';
import { RunStatus } from '../run-status.tsx';

interface RunRowProps {
  readonly run: Run;
  /** The run that is compared with the next one chosen. */
  readonly marked: string | undefined;
  readonly onOpen: (run: Run) => void;
  readonly onCompare: (run: Run) => void;
}

/** One run in a list. */
export function RunRow({ run, marked, onOpen, onCompare }: RunRowProps): ReactNode {
  const isMarked = marked === run.run_id;
  const compare = isMarked
    ? 'Compared with the next one that you choose'
    : marked === undefined
      ? 'Compare with another run'
      : 'Compare with the run chosen before';
  return (
    <div
      className="run-row pane-row"
      data-marked={isMarked || undefined}
      onClick={() => onOpen(run)}
    >
      <ShortId id={runUuid(run.run_id)} isPlain />
      <span className="row">
        <RunStatus run={run} filled={false} />
        {run.error !== undefined && (
          <span className="clip dim" title={errorTitle(run.error)}>
            {errorTitle(run.error)}
          </span>
        )}
      </span>
      <span>{run.agent_id}</span>
      <span className="dim numeric">
        {run.attempt !== undefined &&
          run.attempt > 1 &&
          `${run.attempt} · ${run.last_failure ?? ''}`}
      </span>
      <TimeAgo time={run.created_at} />
      <RunDuration run={run} />
      {/* No button: a row of a list box cannot contain one. The keyboard has `x` for it. */}
      <span
        className="row-action"
        title={`${compare} (x)`}
        onClick={(event) => {
          event.stopPropagation();
          onCompare(run);
        }}
      >
        <IconGitCompare size={14} aria-hidden />
      </span>
    </div>
  );
}
