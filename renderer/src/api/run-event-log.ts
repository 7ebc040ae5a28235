/** One row of a run's stream: an event as it arrived, or a mark that the client added. */
export interface RunStreamEvent {
  /** Its index in the log, from 0; never used twice. */
  readonly seq: number;
  /** The service's id; null for marks and for events without one. */
  readonly id: number | null;
  /** The chunk type (`values`, `tasks` …), `done`, `error`, or a mark: `restart`, `gap`, `reconnected`. */
  readonly type: string;
  /** The sub-graph's namespace; empty for the root. */
  readonly ns: string;
  /** Raw JSON text; empty once it was dropped to bound the memory (`isDropped`). */
  readonly data: string;
  readonly isDropped: boolean;
  /** Characters of the payload, also of a dropped one. */
  readonly size: number;
  readonly receivedAt: number;
  /** When it happened, by the service's clock; undefined where it is unknown (read from the log afterwards). */
  readonly at: number | undefined;
}

export const markTypes: ReadonlySet<string> = new Set(['restart', 'gap', 'reconnected']);

export interface LogLimits {
  readonly maxEvents: number;
  /** Of all payloads together, in characters. */
  readonly maxSize: number;
}

export const defaultLogLimits: LogLimits = { maxEvents: 200_000, maxSize: 96 * 1024 * 1024 };

/** The rows of a stream in order of arrival, bounded: the oldest payloads are dropped first, then the oldest rows. */
export interface RunEventLog {
  /** Rows `first` up to `end` (exclusive) exist. */
  readonly first: number;
  readonly end: number;
  readonly droppedPayloads: number;
  get(seq: number): RunStreamEvent | undefined;
  append(event: Omit<RunStreamEvent, 'seq' | 'isDropped' | 'size'>): RunStreamEvent;
}

/** Makes an empty log. */
export function createRunEventLog(limits: LogLimits = defaultLogLimits): RunEventLog {
  let rows: RunStreamEvent[] = [];
  let first = 0;
  let size = 0;
  let droppedPayloads = 0;
  /** Everything before it has no payload any more. */
  let dropFrom = 0;

  const end = (): number => first + rows.length;

  function dropPayloads(): void {
    // The newest stays, however large: the user is looking at it.
    while (size > limits.maxSize && dropFrom < end() - 1) {
      const row = rows[dropFrom - first];
      if (row !== undefined && row.data !== '') {
        rows[dropFrom - first] = { ...row, data: '', isDropped: true };
        size -= row.size;
        droppedPayloads += 1;
      }
      dropFrom += 1;
    }
  }

  function dropRows(): void {
    if (rows.length <= limits.maxEvents) return;
    // A tenth at once, so that the array is not moved for every event.
    const count = rows.length - Math.floor(limits.maxEvents * 0.9);
    for (const row of rows.slice(0, count)) if (!row.isDropped) size -= row.size;
    rows = rows.slice(count);
    first += count;
    dropFrom = Math.max(dropFrom, first);
  }

  return {
    get first() {
      return first;
    },
    get end() {
      return end();
    },
    get droppedPayloads() {
      return droppedPayloads;
    },
    get: (seq) => rows[seq - first],
    append(event) {
      const row = { ...event, seq: end(), isDropped: false, size: event.data.length };
      rows.push(row);
      size += row.size;
      dropPayloads();
      dropRows();
      return row;
    },
  };
}
