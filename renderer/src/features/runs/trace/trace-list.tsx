import { type ReactNode, useCallback } from 'react';
import { formatDuration } from '../../../ui/format.ts';
import { VirtualList } from '../../../ui/virtual-list/virtual-list.tsx';
import { tickStep } from '../tick-step.ts';
import { useTicking } from '../use-ticking.ts';
import type { TraceRow, TraceTree } from './trace-rows.ts';
import { TraceRowView } from './trace-row-view.tsx';

interface TraceListProps {
  readonly tree: TraceTree;
  readonly rows: readonly TraceRow[];
  readonly slow: ReadonlySet<string>;
  readonly selectedId: string | undefined;
  readonly isRunning: boolean;
  /** How far the service's clock is ahead of this one. */
  readonly clockOffset: number;
  readonly onSelect: (id: string) => void;
  readonly onFold: (id: string) => void;
}

const rowHeight = 26;
const commands = { group: 'Trace', next: 'Next span', previous: 'Previous span' };
const idOf = ({ span }: TraceRow): string => span.id;
/** Running bars grow this often. */
const growMs = 100;

/** The tree beside the waterfall, one row for each span. */
export function TraceList(props: TraceListProps): ReactNode {
  const { tree, rows, slow, selectedId, isRunning, clockOffset, onSelect, onFold } = props;
  const now = useTicking(isRunning ? growMs : undefined) + clockOffset;
  const begin = Math.min(...tree.roots.map(({ started_at }) => Date.parse(started_at)));
  // Never shorter than what has ended: the clocks may differ.
  const ended = rows.reduce((last, { start, end }) => Math.max(last, end ?? start), begin);
  const last = isRunning ? Math.max(now, ended) : ended;
  const span = Math.max(1, last - begin);
  const isGraph = useCallback(
    (row: TraceRow) =>
      row.span.kind === 'node' &&
      (tree.childrenOf.get(row.span.id) ?? []).some(({ kind }) => kind === 'node'),
    [tree],
  );
  return (
    <div className="pane">
      <Axis span={span} />
      <VirtualList
        label="Trace"
        items={rows}
        idOf={idOf}
        rowHeight={rowHeight}
        currentId={selectedId}
        onMove={({ span: moved }) => onSelect(moved.id)}
        onFold={(row, isFolded) => {
          if (row.hasChildren && row.isFolded !== isFolded) onFold(row.span.id);
        }}
        commands={commands}
        renderRow={(row) => {
          const took = Math.max(0, (row.end ?? last) - row.start);
          return (
            <TraceRowView
              row={row}
              isGraph={isGraph(row)}
              isSlow={slow.has(row.span.id)}
              left={((row.start - begin) / span) * 100}
              width={(took / span) * 100}
              took={took}
              onSelect={onSelect}
              onFold={onFold}
            />
          );
        }}
      />
    </div>
  );
}

function Axis({ span }: { span: number }): ReactNode {
  // Half as many as over the whole page: this is a part of it.
  const step = tickStep(span * 2);
  const count = Math.floor((span * 0.9) / step) + 1;
  return (
    <div className="trace-row pane-row list-head dim small" aria-hidden>
      <span />
      <span className="trace-track numeric">
        {Array.from({ length: count }, (_, index) => index * step).map((tick) => (
          <span className="trace-tick" key={tick} style={{ left: `${(tick / span) * 100}%` }}>
            {tick === 0 ? '0' : formatDuration(tick)}
          </span>
        ))}
      </span>
      <span className="trace-took">took</span>
    </div>
  );
}
