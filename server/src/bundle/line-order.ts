import { BUNDLE_PARTS, BUNDLE_VERSIONS } from '../model/limits/bundle-limits.ts';
import type { CheckedRecord } from './bundle-record.ts';

/**
 * Checks lines against each other: a thread comes before its parts, has a limited number of each kind, and nothing
 * occurs twice. Holds the ids of the parts of one thread at a time, and the ids of all threads.
 */
export class LineOrder {
  readonly #threads = new Set<string>();
  #counts: Partial<Record<CheckedRecord['kind'], number>> | undefined;
  #known = new Set<string>();
  #versions = 0;

  /** The error of the line at this position; undefined when it is valid. */
  problemOf(record: CheckedRecord): string | undefined {
    if (record.kind === 'thread') return this.#beginThread(record.thread_id);
    const counts = this.#counts;
    if (!counts) return 'it comes before any thread';
    const count = (counts[record.kind] ?? 0) + 1;
    counts[record.kind] = count;
    const limit = BUNDLE_PARTS[record.kind];
    if (count > limit) return `a thread has at most ${limit} lines of the kind "${record.kind}"`;
    if (record.kind === 'run' && record.request && record.request.runUuid !== record.run_uuid) {
      return 'its request is of another run';
    }
    if (record.kind === 'checkpoint') this.#versions += Object.keys(record.versions).length;
    if (this.#versions > BUNDLE_VERSIONS) {
      return `the checkpoints of a thread name at most ${BUNDLE_VERSIONS} versions`;
    }
    return this.#isNew(record) ? undefined : 'it occurs twice';
  }

  #beginThread(threadId: string): string | undefined {
    if (this.#threads.has(threadId)) return 'the thread occurs twice';
    this.#threads.add(threadId);
    this.#counts = {};
    this.#known = new Set();
    this.#versions = 0;
    return undefined;
  }

  #isNew(record: CheckedRecord): boolean {
    const id = idOf(record);
    if (id === undefined) return true;
    const before = this.#known.size;
    return this.#known.add(id).size > before;
  }
}

/** Undefined for kinds that may occur any number of times. */
function idOf(record: CheckedRecord): string | undefined {
  if (record.kind === 'run') return record.run_uuid;
  if (record.kind === 'checkpoint') return `${record.ns}\n${record.checkpoint_id}`;
  if (record.kind !== 'blob') return undefined;
  return JSON.stringify([record.ns, record.channel, record.version]);
}
