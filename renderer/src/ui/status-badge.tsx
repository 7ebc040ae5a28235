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

export interface Appearance {
  readonly icon: TablerIcon;
  /** Which colour of tokens.css. */
  readonly tone: 'running' | 'completed' | 'interrupted' | 'error' | 'cancelled';
}

const appearances: Readonly<Record<string, Appearance>> = {
  running: { icon: IconLoader2, tone: 'running' },
  busy: { icon: IconLoader2, tone: 'running' },
  completed: { icon: IconCheck, tone: 'completed' },
  idle: { icon: IconCheck, tone: 'completed' },
  interrupted: { icon: IconCircleHalf2, tone: 'interrupted' },
  error: { icon: IconAlertCircle, tone: 'error' },
  cancelling: { icon: IconPlayerStop, tone: 'cancelled' },
  cancelled: { icon: IconCircleX, tone: 'cancelled' },
  queued: { icon: IconCircle, tone: 'cancelled' },
  /** Of a span: its process ended first. */
  lost: { icon: IconPlugConnectedX, tone: 'error' },
};
const unknownAppearance: Appearance = { icon: IconCircleDashed, tone: 'cancelled' };

interface StatusBadgeProps {
  /** The status of a run or a thread; `queued` is a running run that waits behind others. */
  readonly status: string;
  /** Shown after the word: `4 s`, `2 of 4`. */
  readonly detail?: ReactNode;
  /** On a tinted background, for the head of a page. */
  readonly filled?: boolean;
}

/** The colour of a status. */
export function toneOf(status: string): Appearance['tone'] {
  return (appearances[status] ?? unknownAppearance).tone;
}

/** A status by icon, word and colour, for runs and threads alike. */
export function StatusBadge({ status, detail, filled }: StatusBadgeProps): ReactNode {
  return (
    <StateWord {...(appearances[status] ?? unknownAppearance)} status={status} filled={filled}>
      {status}
      {detail !== undefined && <span className="numeric">{detail}</span>}
    </StateWord>
  );
}

interface StateWordProps extends Appearance {
  readonly status?: string;
  readonly filled?: boolean | undefined;
  readonly children: ReactNode;
}

/** A state by icon, word and colour. */
export function StateWord(props: StateWordProps): ReactNode {
  const { icon: Icon, tone, status, filled, children } = props;
  return (
    <span
      className="status-badge"
      data-status={status}
      data-tone={tone}
      data-filled={filled === true || undefined}
    >
      <Icon size={14} stroke={2} aria-hidden />
      {children}
    </span>
  );
}
