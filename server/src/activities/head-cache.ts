import type { Checkpoint, TypedBytes } from '../model/checkpoint/checkpoint.ts';
import type { ThreadId } from '../model/ids.ts';

/** What all remembered heads may take together. */
const MAX_BYTES = 16 * 1_024 * 1_024;
/** What an entry takes besides its bytes, roughly. */
const ENTRY_BYTES = 2_048;
/** A larger head is read again: reading it costs little compared with running on it. */
const MAX_HEAD_BYTES = 256 * 1_024;

/**
 * The heads of the threads that ran here lately, so that the next run on one of them needs no query. The revision
 * tells whether it is still the head: the thread counts every change of its checkpoints. Another thread may have got
 * the id meanwhile, which counts anew: so the checkpoint has to be the same as well.
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
 * The same head without the memory around it: its bytes are pieces of what the guest sent at once, and a small piece
 * alone keeps the 64 KiB of Node's pool in memory, of which nothing here would know.
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
