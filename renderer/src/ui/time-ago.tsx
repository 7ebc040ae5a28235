import { ActionIcon, Tooltip } from '@mantine/core';
import { IconClock, IconWorld } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useLayout } from '../state/layout.ts';
import { useNow } from './clock.ts';
import { formatAge, formatAgo, formatElapsed, formatUtc } from './format.ts';

interface TimeAgoProps {
  readonly time: string;
  /** In rows of long lists: the browser's own tooltip, which costs nothing until it is asked for. */
  readonly isPlain?: boolean;
  /** In narrow columns of ages: `5 s`, without the word. */
  readonly isShort?: boolean;
  /** In plain ones, what happened then: it stands before the exact time. */
  readonly what?: string;
}

/** How long ago, with the exact UTC time on hover; the switch of times shows that one instead. */
export function TimeAgo({ time, isPlain, isShort, what }: TimeAgoProps): ReactNode {
  const style = useLayout((state) => state.timeStyle);
  const now = useNow({ isRunning: style === 'relative' });
  const exact = formatUtc(time);
  const ago = isShort === true ? formatAge(time, now) : formatAgo(time, now);
  const shown = (
    <time
      className="time-ago"
      dateTime={time}
      style={{ whiteSpace: 'nowrap' }}
      title={isPlain === true ? (what === undefined ? exact : `${what} ${exact}`) : undefined}
    >
      {style === 'utc' ? exact.slice(0, 19) : ago}
    </time>
  );
  if (isPlain === true) return shown;
  return (
    <Tooltip label={exact} disabled={style === 'utc'}>
      {shown}
    </Tooltip>
  );
}

/** The time since `since`, going by: what runs has been running for that long. */
export function Elapsed({ since, isShort }: { since: string; isShort?: boolean }): ReactNode {
  const now = useNow();
  return (
    <span style={{ fontVariantNumeric: 'tabular-nums' }}>
      {isShort === true ? formatAge(since, now) : formatElapsed(now - Date.parse(since))}
    </span>
  );
}

/** Changes how every time on every page is written. */
export function TimeStyleSwitch(): ReactNode {
  const { timeStyle, toggleTimeStyle } = useLayout();
  const label = timeStyle === 'utc' ? 'Show relative times' : 'Show UTC times';
  const Icon = timeStyle === 'utc' ? IconWorld : IconClock;
  return (
    <Tooltip label={label}>
      <ActionIcon aria-label={label} onClick={toggleTimeStyle}>
        <Icon size={16} stroke={1.6} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}
