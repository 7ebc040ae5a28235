import { DECISIONS_KEPT, DECISIONS_KEPT_BYTES } from '../../model/limits/access-log-limits.ts';
import { sizeOf, type AccessRecord } from './access-record.ts';

/** Which decisions are wanted: those that match every given member. */
export interface DecisionFilter {
  subject?: string;
  /** A trailing `*` matches any text. */
  operation?: string;
  resource?: string;
  requestId?: string;
  isGranted?: boolean;
}

/** A page of decisions, newest first. */
export interface DecisionPage {
  items: readonly AccessRecord[];
  /** How many decisions match in total. */
  total: number;
  /** The `before` of the next page, if one exists. */
  next?: number;
}

/** A followed decision, or `gap` when decisions before the next one are no longer kept. */
export type FollowedDecision = AccessRecord | 'gap';

/** The latest decisions, bounded by number and size: the oldest are dropped first. */
export class DecisionMemory {
  readonly #limits: { records: number; bytes: number };
  readonly #records: AccessRecord[] = [];
  readonly #waiting = new Set<() => void>();
  #bytes = 0;
  /** The id of the newest dropped decision. At first it covers all decisions of earlier starts. */
  #forgotten: number;

  constructor(startId: number, limits = { records: DECISIONS_KEPT, bytes: DECISIONS_KEPT_BYTES }) {
    this.#forgotten = startId;
    this.#limits = limits;
  }

  /** Adds a decision, whose id is larger than all before. */
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

  /** The newest matching decisions, only those older than `before` if it is given. */
  recent(filter: DecisionFilter, page: { limit: number; before?: number }): DecisionPage {
    const { limit, before = Number.MAX_SAFE_INTEGER } = page;
    const fitting = this.#records.filter((record) => fits(record, filter)).toReversed();
    const older = fitting.filter(({ id }) => id < before);
    const items = older.slice(0, limit);
    const next = older.length > limit ? items.at(-1)?.id : undefined;
    return { items, total: fitting.length, ...(next !== undefined && { next }) };
  }

  /**
   * Matching decisions, oldest first, starting after `after`, or without it from now on. Ends when the signal fires. A
   * reader slower than the decisions loses some and gets a `gap`: nothing is queued for it.
   */
  async *follow(
    filter: DecisionFilter,
    after: number | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<FollowedDecision> {
    let last = after ?? this.#newest();
    // An id in the future, for example after the clock was set back: its position is unknown.
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

  /** A binary search, because each reader searches once per record. */
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
