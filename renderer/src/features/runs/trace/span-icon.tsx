import {
  IconAlertCircle,
  IconBinaryTree2,
  IconCircleHalf2,
  IconCircleX,
  IconLoader2,
  IconPlugConnectedX,
  IconRefresh,
  IconSparkles,
  IconSquare,
  IconTool,
  type TablerIcon,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { TraceSpan } from '../../../api/generated/types.gen.ts';
import { toneOf } from '../../../ui/status-badge.tsx';

const kinds: Readonly<Record<TraceSpan['kind'], TablerIcon>> = {
  attempt: IconRefresh,
  node: IconSquare,
  model: IconSparkles,
  tool: IconTool,
};

const states: Readonly<Partial<Record<TraceSpan['status'], TablerIcon>>> = {
  running: IconLoader2,
  error: IconAlertCircle,
  interrupted: IconCircleHalf2,
  cancelled: IconCircleX,
  lost: IconPlugConnectedX,
};

interface SpanIconProps {
  readonly span: TraceSpan;
  /** A node with nodes inside is a sub-graph. */
  readonly isGraph: boolean;
}

/** What a span is, and how it ended where that is not the usual way. */
export function SpanIcon({ span, isGraph }: SpanIconProps): ReactNode {
  const { kind, status } = span;
  const Kind = isGraph ? IconBinaryTree2 : kinds[kind];
  const State = states[status];
  const what = isGraph ? 'sub-graph' : kind;
  return (
    <span className="span-icon">
      <Kind size={14} role="img" aria-label={what} />
      {State !== undefined && (
        <span className="tone row" data-tone={toneOf(status)}>
          <State size={13} role="img" aria-label={statusWord(status)} />
        </span>
      )}
    </span>
  );
}

/** The status in the words of the page. */
export function statusWord(status: TraceSpan['status']): string {
  return status === 'error' ? 'failed' : status;
}
