import type { RunStreamEvent } from '../../../api/run-stream.ts';
import { markTypes } from '../../../api/run-event-log.ts';

/** The filter of the list of events. */
export interface EventFilter {
  /** Chunk types to omit. */
  readonly hiddenTypes: ReadonlySet<string>;
  /** Found anywhere in payload, type, node or namespace, ignoring case. */
  readonly text: string;
  /** A range of the service's time. */
  readonly range: { readonly from: number; readonly to: number } | undefined;
}

/** Always shown: without them a list cannot be understood. */
const always: ReadonlySet<string> = new Set([...markTypes, 'error']);

/** Collects the rows that pass, and counts all of them by type. */
export interface FilteredEvents {
  take(event: RunStreamEvent): void;
  /** The sequence numbers that pass; grows in place. */
  readonly rows: number[];
  readonly counts: ReadonlyMap<string, number>;
  /** Events are missing: the service no longer had them. */
  readonly hasGap: boolean;
}

/** Makes an empty collection for a filter. */
export function createFilteredEvents(filter: EventFilter): FilteredEvents {
  const passes = createPredicate(filter);
  const rows: number[] = [];
  const counts = new Map<string, number>();
  let hasGap = false;
  return {
    take(event) {
      if (event.type === 'gap') hasGap = true;
      if (!markTypes.has(event.type)) counts.set(event.type, (counts.get(event.type) ?? 0) + 1);
      if (passes(event)) rows.push(event.seq);
    },
    rows,
    counts,
    get hasGap() {
      return hasGap;
    },
  };
}

function createPredicate({ hiddenTypes, text, range }: EventFilter) {
  const wanted = text.trim();
  // Faster than lower-casing every payload.
  const pattern =
    wanted === '' ? undefined : new RegExp(wanted.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'i');
  return (event: RunStreamEvent): boolean => {
    if (range !== undefined) {
      if (event.at === undefined || event.at < range.from || event.at > range.to) return false;
    }
    if (always.has(event.type)) return true;
    if (isRestart(event)) return true;
    if (hiddenTypes.has(event.type)) return false;
    if (pattern === undefined) return true;
    return pattern.test(event.type) || pattern.test(event.ns) || pattern.test(event.data);
  };
}

/** A `lifecycle` event of a later attempt is shown as the band of a restart. */
export function isRestart({ type, data }: RunStreamEvent): boolean {
  return type === 'restart' || (type === 'lifecycle' && !/"attempt":\s*1\b/.test(data));
}
