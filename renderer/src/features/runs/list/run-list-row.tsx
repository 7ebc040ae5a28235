import { IconDots } from '@tabler/icons-react';
import { memo, type ReactNode } from 'react';
import type { RecordedRun } from '../../../api/generated/types.gen.ts';
import { formatCost, formatDuration, formatNumber } from '../../../ui/format.ts';
import { RowCheck } from '../../../ui/row-check.tsx';
import { StatusBadge } from '../../../ui/status-badge.tsx';
import { Elapsed, TimeAgo } from '../../../ui/time-ago.tsx';
import { errorTitle } from '../run-error.tsx';
import { isSettled } from '../run-queries.ts';

interface RunListRowProps {
  readonly run: RecordedRun;
  readonly isSelected: boolean;
  readonly isSelecting: boolean;
  readonly onOpen: (run: RecordedRun) => void;
  /** `isRange`: from the row selected last to this one. */
  readonly onSelect: (runId: string, isRange: boolean) => void;
  readonly onMenu: (run: RecordedRun, at: { readonly x: number; readonly y: number }) => void;
}

/** One run of the history on one line. */
export const RunListRow = memo(function RunListRow(props: RunListRowProps): ReactNode {
  const { run, isSelected, isSelecting, onOpen, onSelect, onMenu } = props;
  const { run_id: id, error, tokens, cost } = run;
  const failure = error === undefined ? '' : errorTitle(error);
  return (
    <div
      className="runs-row pane-row"
      data-selected={isSelected || undefined}
      data-selecting={isSelecting || undefined}
      onClick={(event) => {
        if (event.shiftKey || event.ctrlKey || event.metaKey) onSelect(id, event.shiftKey);
        else onOpen(run);
      }}
      onContextMenu={(event) => {
        event.preventDefault();
        onMenu(run, { x: event.clientX, y: event.clientY });
      }}
    >
      <RowCheck isSelected={isSelected} onSelect={(isRange) => onSelect(id, isRange)} />
      <StatusBadge status={run.status} />
      <span title={run.agent_id}>{run.agent_id}</span>
      <span title={run.input_preview}>{run.input_preview}</span>
      <span className="is-error" title={failure}>
        {failure}
      </span>
      <span className="runs-row-number dim numeric">
        <Took run={run} />
      </span>
      <span className="runs-row-number dim numeric" data-column="tokens">
        {tokens.total > 0 && formatNumber(tokens.total)}
      </span>
      <span className="runs-row-number dim numeric" data-column="cost">
        {cost !== undefined && formatCost(cost)}
      </span>
      <span className="runs-row-number dim numeric" data-column="time">
        <TimeAgo time={run.last_activity_at} isShort what="Last activity" />
      </span>
      {/* No button: a row of a list box cannot contain one. The keyboard has `m` for it. */}
      <span
        className="runs-row-menu row-action"
        title="Actions (m)"
        onClick={(event) => {
          event.stopPropagation();
          onMenu(run, { x: event.clientX, y: event.clientY });
        }}
      >
        <IconDots size={14} aria-hidden />
      </span>
    </div>
  );
});

function Took({ run }: { run: RecordedRun }): ReactNode {
  const { duration_ms, started_at, status } = run;
  if (duration_ms !== undefined) return formatDuration(duration_ms);
  if (started_at === undefined || isSettled(status)) return '';
  return <Elapsed since={started_at} />;
}
