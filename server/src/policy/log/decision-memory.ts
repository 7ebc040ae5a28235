import { DECISIONS_KEPT, DECISIONS_KEPT_BYTES } from '../../model/limits/access-log-limits.ts';
import { sizeOf, type AccessRecord } from './access-record.ts';

/** Which decisions are wanted: those that fit every member given. */
export interface DecisionFilter {
  subject?: string;
  /** A `*` at its end stands for anything. */
  operation?: string;
  resource?: string;
  requestId?: string;
  isGranted?: boolean;
}

/** A page of decisions, newest first. */
export interface DecisionPage {
  items: readonly AccessRecord[];
  /** How many fit in all. */
  total: number;
  /** The `before` of the next page, if there is one. */
  next?: number;
}

/** Followed decisions: one, or the word that some before the next one are forgotten. */
export type FollowedDecision = AccessRecord | 'gap';

/** The latest decisions, bounded by their number and their size: the oldest are forgotten first. */
export class DecisionMemory {
  readonly #limits: { records: number; bytes: number };
  readonly #records: AccessRecord[] = [];
  readonly #waiting = new Set<() => void>();
  #bytes = 0;
  /** The id of the newest that is forgotten. Before the first decision: whatever an earlier start decided. */
  #forgotten: number;

  constructor(startId: number, limits = { records: DECISIONS_KEPT, bytes: DECISIONS_KEPT_BYTES }) {
    this.#forgotten = startId;
    this.#limits = limits;
  }

  /** Remembers a decision, whose id is larger than those before. */
  add(record: AccessRecord): void {
    this.#records.push(record);
    this.#bytes += sizeOf(record);
    const { records, bytes } = this.#limits;
    while (this.#records.length > records || (this.#bytes > bytes && this.#records.length > 1)) {
      const oldest = this.#records.shift();
      if (!oldest) break;
      this.#bytes -= sizeOf(oldest);
      this.#forgotten = oldest.id;
    }
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  /** The newest that fit, only those older than `before` if that is given. */
  recent(filter: DecisionFilter, page: { limit: number; before?: number }): DecisionPage {
    const { limit, before = Number.MAX_SAFE_INTEGER } = page;
    const fitting = this.#records.filter((record) => fits(record, filter)).toReversed();
    const older = fitting.filter(({ id }) => id < before);
    const items = older.slice(0, limit);
    const next = older.length > limit ? items.at(-1)?.id : undefined;
    return { items, total: fitting.length, ...(next !== undefined && { next }) };
  }

  /**
   * Those that fit, oldest first, from the one after `after` on; without it from now on. Ends when the signal fires.
   * A reader that is slower than decisions come loses some and is told so: nothing is kept for it.
   */
  async *follow(
    filter: DecisionFilter,
    after: number | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<FollowedDecision> {
    let last = after ?? this.#newest();
    // An id of a time to come, as after a clock was set back: what it was is not known.
    if (last > this.#newest()) last = -1;
    while (!signal.aborted) {
      if (last < this.#forgotten) {
        last = this.#forgotten;
        yield 'gap';
        continue;
      }
      const record = this.#firstAfter(last);
      if (record) {
        last = record.id;
        if (fits(record, filter)) yield record;
      } else await this.#changed(signal);
    }
  }

  #newest(): number {
    return this.#records.at(-1)?.id ?? this.#forgotten;
  }

  /** Found by halves: a reader asks once for each record. */
  #firstAfter(id: number): AccessRecord | undefined {
    let from = 0;
    let to = this.#records.length;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((this.#records[middle]?.id ?? 0) > id) to = middle;
      else from = middle + 1;
    }
    return this.#records[from];
  }

  #changed(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        signal.removeEventListener('abort', wake);
        this.#waiting.delete(wake);
        resolve();
      };
      signal.addEventListener('abort', wake, { once: true });
      this.#waiting.add(wake);
    });
  }
}

function fits(record: AccessRecord, filter: DecisionFilter): boolean {
  const { subject, operation, resource, requestId, isGranted } = filter;
  return (
    (subject === undefined || record.subject === subject) &&
    (operation === undefined || isOperation(record.operation, operation)) &&
    (resource === undefined || record.resource === resource) &&
    (requestId === undefined || record.requestId === requestId) &&
    (isGranted === undefined || record.isGranted === isGranted)
  );
}

function isOperation(operation: string, wanted: string): boolean {
  return wanted.endsWith('*') ? operation.startsWith(wanted.slice(0, -1)) : operation === wanted;
}
