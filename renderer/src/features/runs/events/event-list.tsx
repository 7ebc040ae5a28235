import type { ReactNode } from 'react';
import type { RunEventLog } from '../../../api/run-stream.ts';
import { VirtualList } from '../../../ui/virtual-list/virtual-list.tsx';
import { EventRow } from './event-row.tsx';
import './events.css';
import type { SelectEvent } from './use-selected-event.ts';

interface EventListProps {
  readonly log: RunEventLog;
  /** Sequence numbers of the rows; grows in place. */
  readonly rows: readonly number[];
  readonly selected: number | undefined;
  readonly onSelect: SelectEvent;
  /** The sentences of restarts, by sequence number. */
  readonly restarts: ReadonlyMap<number, string>;
  /** Shown under the last row: why the run failed. */
  readonly footer?: ReactNode;
  readonly beginsAtTail: boolean;
  /** Shown instead of no rows. */
  readonly empty: ReactNode;
}

const idOf = (seq: number): number => seq;
const commands = {
  group: 'Events',
  next: 'Next event',
  previous: 'Previous event',
  hasArrows: true,
};

/** The events, virtual: follows the newest until the user scrolls up, then shows how many were added below. */
export function EventList(props: EventListProps): ReactNode {
  const { log, rows, selected, onSelect, restarts, footer, beginsAtTail, empty } = props;
  return (
    <div className="event-list pane">
      <div className="event-row pane-row list-head dim small" aria-hidden>
        <span className="event-number">#</span>
        <span className="event-number">+Δ ms</span>
        <span>type</span>
        <span>node</span>
        <span className="event-number">size</span>
        <span>preview</span>
      </div>
      <VirtualList
        label="Events"
        items={rows}
        idOf={idOf}
        rowHeight={24}
        currentId={selected}
        onMove={(seq) => onSelect(seq, { replace: true })}
        commands={commands}
        followsEnd
        beginsAtEnd={beginsAtTail}
        footer={footer}
        empty={<div className="scroll">{footer ?? empty}</div>}
        renderRow={(seq, index) => {
          const event = log.get(seq);
          return (
            event && (
              <EventRow
                event={event}
                before={timeBefore(log, rows, index)}
                restart={restarts.get(seq)}
                onSelect={onSelect}
              />
            )
          );
        }}
      />
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
