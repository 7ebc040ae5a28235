import type { Checkpoint } from './checkpoint.ts';
import type { ThreadId } from '../ids.ts';
import type { OffloadedPayload } from './payload-port.ts';
import type { StoredOp } from './stored.ts';
import type { CheckpointBatch, CheckpointSelection } from '../thread/thread-wire.ts';

/** The checkpoints that the thread's workflow holds. Rejects with ServiceErrors. */
export interface CheckpointPort {
  /**
   * Resolves when the batch is durable; retried for a limited time, also after a cancel: the writes belong to the run
   * regardless. `run_fenced`.
   */
  applyBatch(threadId: ThreadId, batch: CheckpointBatch): Promise<void>;
  /** Prepares a write for a batch; undefined: it is ready. `storage_unavailable` when retries of the storage fail. */
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
