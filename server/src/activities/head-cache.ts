import type { Checkpoint, TypedBytes } from '../model/checkpoint/checkpoint.ts';
import type { ThreadId } from '../model/ids.ts';

/** The size limit of all remembered heads together. */
const MAX_BYTES = 16 * 1_024 * 1_024;
/** The approximate size of an entry besides its bytes. */
const ENTRY_BYTES = 2_048;
/** A larger head is read again: reading it costs little compared with running on it. */
const MAX_HEAD_BYTES = 256 * 1_024;

/**
 * The heads of the threads that ran here lately, so that the next run on one of them needs no query. The revision
 * shows whether a head is current: the thread counts every change of its checkpoints. Another thread may have got
 * the id meanwhile, whose count starts again: so the checkpoint id has to match as well.
 */
export class HeadCache {
  readonly #heads = new Map<ThreadId, { revision: number; head: Checkpoint; bytes: number }>();
  #bytes = 0;

  /** The head with this id at this revision; null: the thread has no checkpoint; undefined: not remembered. */
  find(
    threadId: ThreadId,
    { revision, headId }: { revision: number; headId?: string },
  ): Checkpoint | null | undefined {
    if (revision === 0) return null;
    const entry = this.#heads.get(threadId);
    return entry?.revision === revision && entry.head.id === headId ? entry.head : undefined;
  }

  remember(threadId: ThreadId, revision: number, head: Checkpoint | undefined): void {
    this.#forget(threadId);
    const bytes = head ? headBytes(head) : 0;
    if (!head || bytes > MAX_HEAD_BYTES) return;
    this.#heads.set(threadId, { revision, head: apart(head), bytes });
    this.#bytes += bytes;
    for (const oldest of this.#heads.keys()) {
      if (this.#bytes <= MAX_BYTES) break;
      this.#forget(oldest);
    }
  }

  #forget(threadId: ThreadId): void {
    this.#bytes -= this.#heads.get(threadId)?.bytes ?? 0;
    this.#heads.delete(threadId);
  }
}

/**
 * A copy of the head with its own memory: its bytes are slices of what the guest sent at once, and a small slice alone
 * keeps the 64 KiB of Node's pool in memory, which would not be counted here.
 */
function apart(head: Checkpoint): Checkpoint {
  return {
    ...head,
    skeleton: typedApart(head.skeleton),
    metadata: typedApart(head.metadata),
    blobs: head.blobs.map(partApart),
    writes: head.writes.map(partApart),
  };
}

function partApart<Part extends { value: TypedBytes }>(part: Part): Part {
  return { ...part, value: typedApart(part.value) };
}

function typedApart({ tag, bytes }: TypedBytes): TypedBytes {
  return { tag, bytes: new Uint8Array(bytes) };
}

function headBytes(head: Checkpoint): number {
  const parts = [...head.blobs, ...head.writes];
  return parts.reduce(
    (sum, part) => sum + part.value.bytes.byteLength + (part.json?.length ?? 0),
    ENTRY_BYTES +
      head.skeleton.bytes.byteLength +
      head.metadata.bytes.byteLength +
      head.metadataJson.length,
  );
}
