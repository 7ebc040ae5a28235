import { BUNDLE_PARTS, BUNDLE_VERSIONS } from '../model/limits/bundle-limits.ts';
import type { CheckedRecord } from './bundle-record.ts';

/**
 * What lines have to do with each other: a thread comes before what belongs to it, has so much of each kind, and
 * everything once. Holds the ids of one thread at a time, and those of all threads.
 */
export class LineOrder {
  readonly #threads = new Set<string>();
  #counts: Partial<Record<CheckedRecord['kind'], number>> | undefined;
  #known = new Set<string>();
  #versions = 0;

  /** What is wrong with the line where it stands; undefined when nothing is. */
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
    return this.#isNew(record) ? undefined : 'it stands twice';
  }

  #beginThread(threadId: string): string | undefined {
    if (this.#threads.has(threadId)) return 'the thread stands twice';
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

/** Undefined for what may stand as often as it likes. */
function idOf(record: CheckedRecord): string | undefined {
  if (record.kind === 'run') return record.run_uuid;
  if (record.kind === 'checkpoint') return `${record.ns}\n${record.checkpoint_id}`;
  if (record.kind !== 'blob') return undefined;
  return JSON.stringify([record.ns, record.channel, record.version]);
}
