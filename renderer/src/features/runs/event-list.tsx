import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { RunEventLog } from '../../api/run-stream.ts';
import { formatNumber } from '../../ui/format.ts';
import { EventRow } from './event-row.tsx';
import './events.css';

interface EventListProps {
  readonly log: RunEventLog;
  /** Sequence numbers of the rows; grows in place, `version` says when. */
  readonly rows: readonly number[];
  readonly version: number;
  readonly selected: number | undefined;
  readonly onSelect: (seq: number) => void;
  /** Stands open under the last row: why the run failed. */
  readonly footer?: ReactNode;
  readonly beginsAtTail: boolean;
  /** What stands in place of no rows. */
  readonly empty: ReactNode;
}

const rowHeight = 24;
/** Closer to the end than this counts as being at the end. */
const tailSlack = rowHeight * 1.5;

/** The events, virtual: keeps to the newest until the reader scrolls up, then says how many came below. */
export function EventList(props: EventListProps): ReactNode {
  const { log, rows, version, selected, onSelect, footer, beginsAtTail, empty } = props;
  const place = useRef<HTMLDivElement>(null);
  const isAtTail = useRef(beginsAtTail);
  const [leftAt, setLeftAt] = useState<number>();
  const count = rows.length + (footer === undefined ? 0 : 1);
  // oxlint-disable-next-line react/incompatible-library -- not compiled by React's compiler, so nothing is memoized
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => place.current,
    estimateSize: (index) => (index < rows.length ? rowHeight : 240),
    overscan: 12,
  });

  useLayoutEffect(() => {
    const element = place.current;
    if (isAtTail.current && element !== null) element.scrollTop = element.scrollHeight;
  }, [version, count]);

  const onScroll = useCallback(() => {
    const element = place.current;
    if (element === null) return;
    const rest = element.scrollHeight - element.scrollTop - element.clientHeight;
    isAtTail.current = rest <= tailSlack;
    setLeftAt((before) => (isAtTail.current ? undefined : (before ?? rows.length)));
  }, [rows]);

  function toTail(): void {
    isAtTail.current = true;
    setLeftAt(undefined);
    if (place.current !== null) place.current.scrollTop = place.current.scrollHeight;
  }

  const index = selected === undefined ? -1 : indexOf(rows, selected);
  useEffect(() => {
    if (index >= 0) virtualizer.scrollToIndex(index, { align: 'auto' });
    // Only a new choice moves the list; rows that come do not.
  }, [selected]); // oxlint-disable-line react/exhaustive-deps

  const unseen = leftAt === undefined ? 0 : rows.length - leftAt;
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
      <div
        className="event-scroll"
        ref={place}
        onScroll={onScroll}
        role="listbox"
        aria-label="Events"
        aria-activedescendant={selected === undefined ? undefined : `event-${selected}`}
        tabIndex={0}
      >
        {count === 0 && empty}
        <div className="event-rows" style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map((item) => {
            const seq = rows[item.index];
            const style = { transform: `translateY(${item.start}px)` };
            if (seq === undefined) {
              return (
                <div
                  key="footer"
                  ref={virtualizer.measureElement}
                  data-index={item.index}
                  className="event-footer"
                  style={style}
                >
                  {footer}
                </div>
              );
            }
            const event = log.get(seq);
            if (event === undefined) return undefined;
            return (
              <EventRow
                key={seq}
                event={event}
                before={timeBefore(log, rows, item.index)}
                offset={item.start}
                isSelected={seq === selected}
                onSelect={onSelect}
              />
            );
          })}
        </div>
      </div>
      {unseen > 0 && (
        <button type="button" className="event-unseen" onClick={toTail}>
          {formatNumber(unseen)} new ↓
        </button>
      )}
    </div>
  );
}

/** So many rows above may be without a time of their own. */
const farthest = 64;

/** The time of the closest row above that has one. */
function timeBefore(log: RunEventLog, rows: readonly number[], index: number): number | undefined {
  for (let above = index - 1; above >= Math.max(0, index - farthest); above -= 1) {
    const seq = rows[above];
    const at = seq === undefined ? undefined : log.get(seq)?.at;
    if (at !== undefined) return at;
  }
  return undefined;
}

/** Where a sequence number stands; rows are sorted. */
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
