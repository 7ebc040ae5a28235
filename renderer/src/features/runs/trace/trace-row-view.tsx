import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { memo, type ReactNode } from 'react';
import { formatDuration } from '../../../ui/format.ts';
import { toneOf } from '../../../ui/status-badge.tsx';
import { SpanIcon, statusWord } from './span-icon.tsx';
import type { TraceRow } from './trace-rows.ts';

interface TraceRowViewProps {
  readonly row: TraceRow;
  /** A node with nodes inside. */
  readonly isGraph: boolean;
  readonly isSlow: boolean;
  /** Percent of the waterfall. */
  readonly left: number;
  readonly width: number;
  readonly took: number;
  readonly onSelect: (id: string) => void;
  readonly onFold: (id: string) => void;
}

const indent = 14;

/** One span: its place in the tree, its bar, and how long it took. */
export const TraceRowView = memo(function TraceRowView(props: TraceRowViewProps): ReactNode {
  const { row, isGraph, isSlow, left, width, took, onSelect, onFold } = props;
  const { span, depth, hasChildren, isFolded } = row;
  const { kind, status, model, name } = span;
  const Fold = isFolded ? IconChevronRight : IconChevronDown;
  const duration = formatDuration(took);
  return (
    <div className="trace-row pane-row" data-kind={kind} onClick={() => onSelect(span.id)}>
      <span className="trace-name row" style={{ paddingLeft: 4 + depth * indent }}>
        {/* No button: a row of a list box cannot contain one. The keyboard has the arrows for it. */}
        <span
          className="fold"
          aria-hidden
          onClick={(event) => {
            if (!hasChildren) return;
            event.stopPropagation();
            onFold(span.id);
          }}
        >
          {hasChildren && <Fold size={14} />}
        </span>
        <SpanIcon span={span} isGraph={isGraph} />
        <span className="clip" title={name}>
          {name}
        </span>
        {kind === 'model' && model !== undefined && model !== name && (
          <span className="clip grow dim small">{model}</span>
        )}
      </span>
      <span className="trace-track">
        <span
          className="trace-bar"
          data-tone={status === 'completed' ? undefined : toneOf(status)}
          style={{ left: `${left}%`, width: `${width}%` }}
          title={`${name}, ${statusWord(status)}, ${duration}`}
        />
      </span>
      <span
        className="trace-took dim numeric"
        data-slow={isSlow || undefined}
        title={isSlow ? 'One of the slowest steps of this run' : undefined}
      >
        {isSlow && 'slow '}
        {duration}
      </span>
    </div>
  );
});
