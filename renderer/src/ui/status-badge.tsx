import {
  IconAlertCircle,
  IconCheck,
  IconCircle,
  IconCircleDashed,
  IconCircleHalf2,
  IconCircleX,
  IconLoader2,
  IconPlayerStop,
  IconPlugConnectedX,
  type TablerIcon,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import './status-badge.css';

interface Appearance {
  readonly icon: TablerIcon;
  /** Which colour of tokens.css. */
  readonly tone:
    'running' | 'completed' | 'interrupted' | 'error' | 'cancelled' | 'queued' | 'idle';
}

const appearances: Readonly<Record<string, Appearance>> = {
  running: { icon: IconLoader2, tone: 'running' },
  busy: { icon: IconLoader2, tone: 'running' },
  completed: { icon: IconCheck, tone: 'completed' },
  idle: { icon: IconCheck, tone: 'idle' },
  interrupted: { icon: IconCircleHalf2, tone: 'interrupted' },
  error: { icon: IconAlertCircle, tone: 'error' },
  cancelling: { icon: IconPlayerStop, tone: 'cancelled' },
  cancelled: { icon: IconCircleX, tone: 'cancelled' },
  queued: { icon: IconCircle, tone: 'queued' },
  /** Of a span: its process ended first. */
  lost: { icon: IconPlugConnectedX, tone: 'error' },
};
const unknownAppearance: Appearance = { icon: IconCircleDashed, tone: 'queued' };

interface StatusBadgeProps {
  /** The status of a run or a thread; `queued` is a running run that waits behind others. */
  readonly status: string;
  /** Shown after the word: `4 s`, `2 of 4`. */
  readonly detail?: ReactNode;
  /** On a tinted background, for the head of a page. */
  readonly filled?: boolean;
}

/** A status by icon, word and colour, for runs and threads alike. */
export function StatusBadge({ status, detail, filled }: StatusBadgeProps): ReactNode {
  const { icon: Icon, tone } = appearances[status] ?? unknownAppearance;
  return (
    <span
      className={`status-badge status-badge-${tone}${filled === true ? ' status-badge-filled' : ''}`}
      data-status={status}
    >
      <Icon size={14} stroke={2} aria-hidden />
      {status}
      {detail !== undefined && <span className="status-badge-detail">{detail}</span>}
    </span>
  );
}
