import { type ReactNode, useLayoutEffect, useRef } from 'react';
import type { RunEventLog } from '../../../api/run-stream.ts';
import { formatNumber } from '../../../ui/format.ts';
import { EventRow } from './event-row.tsx';
import { useChoiceInView } from './use-choice-in-view.ts';
import { useTailWindow } from './use-tail-window.ts';
import './events.css';

interface EventListProps {
  readonly log: RunEventLog;
  /** Sequence numbers of the rows; grows in place, `version` changes with it. */
  readonly rows: readonly number[];
  readonly version: number;
  readonly selected: number | undefined;
  readonly onSelect: (seq: number) => void;
  /** The sentences of restarts, by sequence number. */
  readonly restarts: ReadonlyMap<number, string>;
  /** Shown under the last row: why the run failed. */
  readonly footer?: ReactNode;
  readonly beginsAtTail: boolean;
  /** Shown instead of no rows. */
  readonly empty: ReactNode;
}

const rowHeight = 24;

/** The events, virtual: follows the newest until the user scrolls up, then shows how many were added below. */
export function EventList(props: EventListProps): ReactNode {
  const { log, rows, version, selected, onSelect, restarts, footer, beginsAtTail, empty } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const { window, toTail } = useTailWindow({
    scroller,
    count: rows.length,
    rowHeight,
    beginsAtTail,
  });
  const { isAtTail } = window;
  useLayoutEffect(() => {
    const element = scroller.current;
    if (isAtTail && element !== null) element.scrollTop = element.scrollHeight;
  }, [version, isAtTail, footer]);

  const index = selected === undefined ? -1 : indexOf(rows, selected);
  const { height } = window;
  useChoiceInView({ scroller, chosen: selected, index, height, isAtTail, rowHeight });

  const shown = rows.slice(window.first, window.last);
  const unseen = window.seen === undefined ? 0 : rows.length - window.seen;
  return (
    <div className="event-list">
      <div className="event-head" aria-hidden>
        <span>#</span>
        <span>+Δ ms</span>
        <span>type</span>
        <span>node</span>
        <span>size</span>
        <span>preview</span>
      </div>
      <div className="event-scroll" ref={scroller}>
        {rows.length === 0 && footer === undefined && empty}
        <div
          className="event-rows"
          role={rows.length === 0 ? undefined : 'listbox'}
          aria-label={rows.length === 0 ? undefined : 'Events'}
          aria-activedescendant={selected === undefined ? undefined : `event-${selected}`}
          tabIndex={rows.length === 0 ? undefined : 0}
          style={{ height: rows.length * rowHeight }}
        >
          {shown.map((seq, offset) => {
            const event = log.get(seq);
            const at = window.first + offset;
            if (event === undefined) return undefined;
            return (
              <EventRow
                key={seq}
                event={event}
                before={timeBefore(log, rows, at)}
                restart={restarts.get(seq)}
                offset={at * rowHeight}
                isSelected={seq === selected}
                onSelect={onSelect}
              />
            );
          })}
        </div>
        {footer}
      </div>
      {unseen > 0 && (
        <button type="button" className="event-unseen" onClick={toTail}>
          {formatNumber(unseen)} new ↓
        </button>
      )}
    </div>
  );
}

/** How many rows above may have no own time. */
const maxDistance = 64;

/** The time of the closest row above that has one. */
function timeBefore(log: RunEventLog, rows: readonly number[], index: number): number | undefined {
  for (let above = index - 1; above >= Math.max(0, index - maxDistance); above -= 1) {
    const seq = rows[above];
    const at = seq === undefined ? undefined : log.get(seq)?.at;
    if (at !== undefined) return at;
  }
  return undefined;
}

/** The index of a sequence number; rows are sorted. */
export function indexOf(rows: readonly number[], seq: number): number {
  let low = 0;
  let high = rows.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const found = rows[middle] ?? 0;
    if (found === seq) return middle;
    if (found < seq) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}
