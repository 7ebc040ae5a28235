import type { Checkpoint } from '../model/checkpoint.ts';
import type { ThreadId } from '../model/ids.ts';

/** Threads whose head is remembered. */
const MAX_HEADS = 512;
/** A larger head is read again: reading it costs little compared with running on it. */
const MAX_HEAD_BYTES = 256 * 1_024;

/**
 * The heads of the threads that ran here lately, so that the next run on one of them needs no query. The revision
 * tells whether it is still the head: the thread counts every change of its checkpoints.
 */
export class HeadCache {
  readonly #heads = new Map<ThreadId, { revision: number; head: Checkpoint }>();

  /** The head at this revision; null: the thread has no checkpoint; undefined: not remembered. */
  find(threadId: ThreadId, revision: number): Checkpoint | null | undefined {
    if (revision === 0) return null;
    const entry = this.#heads.get(threadId);
    return entry?.revision === revision ? entry.head : undefined;
  }

  remember(threadId: ThreadId, revision: number, head: Checkpoint | undefined): void {
    this.#heads.delete(threadId);
    if (!head || headBytes(head) > MAX_HEAD_BYTES) return;
    this.#heads.set(threadId, { revision, head });
    const oldest = this.#heads.keys().next().value;
    if (this.#heads.size > MAX_HEADS && oldest) this.#heads.delete(oldest);
  }
}

function headBytes(head: Checkpoint): number {
  const parts = [...head.blobs, ...head.writes];
  return parts.reduce(
    (sum, part) => sum + part.value.bytes.byteLength + (part.json?.length ?? 0),
    head.skeleton.bytes.byteLength + head.metadataJson.length,
  );
}
