import { ActionIcon } from '@mantine/core';
import { IconClock, IconWorld } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useLayout } from '../state/layout.ts';
import { useNow } from './clock.ts';
import { formatAge, formatAgo, formatElapsed, formatUtc } from './format.ts';
import { tip } from './tip.tsx';

interface TimeAgoProps {
  readonly time: string;
  /** In narrow columns of ages: `5 s`, without the word. */
  readonly isShort?: boolean;
  /** What happened then: shown before the exact time. */
  readonly what?: string;
}

/** How long ago, with the exact UTC time on hover; the switch of times shows that instead. */
export function TimeAgo({ time, isShort, what }: TimeAgoProps): ReactNode {
  const style = useLayout((state) => state.timeStyle);
  const now = useNow({ isRunning: style === 'relative' });
  const exact = formatUtc(time);
  const ago = isShort === true ? formatAge(time, now) : formatAgo(time, now);
  return (
    <time
      className="time-ago"
      dateTime={time}
      style={{ whiteSpace: 'nowrap' }}
      {...tip(what === undefined ? exact : `${what} ${exact}`)}
    >
      {style === 'utc' ? exact.slice(0, 19) : ago}
    </time>
  );
}

/** The time since `since`, ticking: how long something has been running. */
export function Elapsed({ since, isShort }: { since: string; isShort?: boolean }): ReactNode {
  const now = useNow();
  return (
    <span style={{ fontVariantNumeric: 'tabular-nums' }}>
      {isShort === true ? formatAge(since, now) : formatElapsed(now - Date.parse(since))}
    </span>
  );
}

/** Changes the format of every time on every page. */
export function TimeStyleSwitch(): ReactNode {
  const { timeStyle, toggleTimeStyle } = useLayout();
  const label = timeStyle === 'utc' ? 'Show relative times' : 'Show UTC times';
  const Icon = timeStyle === 'utc' ? IconWorld : IconClock;
  return (
    <ActionIcon {...tip(label)} aria-label={label} onClick={toggleTimeStyle}>
      <Icon size={16} stroke={1.6} aria-hidden />
    </ActionIcon>
  );
}
