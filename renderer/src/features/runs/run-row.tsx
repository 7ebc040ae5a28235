import { ActionIcon, Tooltip } from '@mantine/core';
import { IconGitCompare } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Run } from '../../api/generated/index.ts';
import { ShortId } from '../../ui/short-id.tsx';
import { TimeAgo } from '../../ui/time-ago.tsx';
import { runPath } from './run-actions.ts';
import { RunDuration } from './run-duration.tsx';
import { errorTitle } from './run-error.tsx';
import { runUuid } from './run-queries.ts';
import { RunStatus } from './run-status.tsx';

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
    <div className="run-row" data-marked={isMarked || undefined} onClick={() => onOpen(run)}>
      <Link to={runPath(run)} tabIndex={-1} onClick={(event) => event.stopPropagation()}>
        <ShortId id={runUuid(run.run_id)} isPlain />
      </Link>
      <span className="run-row-status">
        <RunStatus run={run} filled={false} />
        {run.error !== undefined && (
          <span className="run-row-error" title={errorTitle(run.error)}>
            {errorTitle(run.error)}
          </span>
        )}
      </span>
      <span>{run.agent_id}</span>
      <span className="run-row-attempt">
        {run.attempt !== undefined &&
          run.attempt > 1 &&
          `${run.attempt} · ${run.last_failure ?? ''}`}
      </span>
      <TimeAgo time={run.created_at} />
      <RunDuration run={run} />
      <Tooltip label={compare}>
        <ActionIcon
          size="sm"
          tabIndex={-1}
          aria-label={compare}
          variant={isMarked ? 'filled' : 'subtle'}
          onClick={(event) => {
            event.stopPropagation();
            onCompare(run);
          }}
        >
          <IconGitCompare size={14} aria-hidden />
        </ActionIcon>
      </Tooltip>
    </div>
  );
}
