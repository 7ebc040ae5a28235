import { Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import { useLayout } from '../state/layout.ts';
import { useNow } from './clock.ts';
import { formatAgo, formatElapsed, formatUtc } from './format.ts';

/** How long ago, with the exact UTC time on hover; the switch of times shows that one instead. */
export function TimeAgo({ time }: { time: string }): ReactNode {
  const style = useLayout((state) => state.timeStyle);
  const now = useNow({ isRunning: style === 'relative' });
  const exact = formatUtc(time);
  return (
    <Tooltip label={exact} disabled={style === 'utc'}>
      <time className="time-ago" dateTime={time} style={{ whiteSpace: 'nowrap' }}>
        {style === 'utc' ? exact.slice(0, 19) : formatAgo(time, now)}
      </time>
    </Tooltip>
  );
}

/** The time since `since`, going by: what runs has been running for that long. */
export function Elapsed({ since }: { since: string }): ReactNode {
  const now = useNow();
  return (
    <span style={{ fontVariantNumeric: 'tabular-nums' }}>
      {formatElapsed(now - Date.parse(since))}
    </span>
  );
}

/** Changes how every time on every page is written. */
export function TimeStyleSwitch(): ReactNode {
  const { timeStyle, toggleTimeStyle } = useLayout();
  const label = timeStyle === 'utc' ? 'Show relative times' : 'Show UTC times';
  return (
    <Tooltip label={label}>
      <button
        className="time-style-switch"
        type="button"
        aria-label={label}
        onClick={toggleTimeStyle}
      >
        {timeStyle === 'utc' ? 'UTC' : 'ago'}
      </button>
    </Tooltip>
  );
}
