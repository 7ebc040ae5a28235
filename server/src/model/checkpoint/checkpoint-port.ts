import type { Checkpoint } from './checkpoint.ts';
import type { ThreadId } from '../ids.ts';
import type { OffloadedPayload } from './payload-port.ts';
import type { StoredOp } from './stored.ts';
import type { CheckpointBatch, CheckpointSelection } from '../thread/thread-wire.ts';

/** The thread's checkpoints, as far as its workflow has them. Rejects with ServiceErrors. */
export interface CheckpointPort {
  /**
   * Resolves when the batch is durable; retried for a limited time, also after a cancel: what was written is part of
   * what the run did. `run_fenced`.
   */
  applyBatch(threadId: ThreadId, batch: CheckpointBatch): Promise<void>;
  /** Makes a write ready for a batch; undefined: it is. `storage_unavailable` when the storage stays away. */
  offload(
    threadId: ThreadId,
    op: StoredOp<Uint8Array>,
  ): Promise<OffloadedPayload<StoredOp>> | undefined;
  /** Newest first, each with all its blobs and pending writes. */
  read(
    threadId: ThreadId,
    selection: Omit<CheckpointSelection, 'content'>,
  ): AsyncIterable<Checkpoint>;
}
