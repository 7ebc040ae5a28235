import { ServiceError } from '../../errors/service-error.ts';
import type { Checkpoint } from '../../model/checkpoint/checkpoint.ts';
import { toCheckpoint } from '../../model/checkpoint/checkpoint-codec.ts';
import type { ThreadId } from '../../model/ids.ts';
import type { StoredOp } from '../../model/checkpoint/stored.ts';
import type { CheckpointBatch, CheckpointSelection } from '../../model/thread/thread-wire.ts';
import { callUntilAnswered } from '../client/calls.ts';
import { readCheckpoints } from '../read/checkpoint-reader.ts';
import type { EngineConnection } from '../client/connection.ts';
import { type Disk, unknownDisk } from '../disk/disk-port.ts';
import { isGone } from '../client/failures.ts';
import type { PayloadPort, OffloadedPayload } from '../../model/checkpoint/payload-port.ts';
import type { ThreadClient } from '../client/thread-client.ts';

/** A save outlasts a restart of the engine and of the storage; beyond this the attempt is given up as INFRA. */
export const SAVE_PATIENCE_MS = 60_000;

/** Checkpoints of threads, for the attempts that run in this process. A save waits for room on the disk. */
export function createThreadCheckpoints(
  threads: ThreadClient,
  payloads: PayloadPort,
  disk: Disk = unknownDisk,
): {
  applyBatch(threadId: ThreadId, batch: CheckpointBatch): Promise<void>;
  offload(
    threadId: ThreadId,
    op: StoredOp<Uint8Array>,
  ): Promise<OffloadedPayload<StoredOp>> | undefined;
  read(
    threadId: ThreadId,
    selection: Omit<CheckpointSelection, 'content'>,
  ): AsyncGenerator<Checkpoint>;
} {
  return {
    async applyBatch(threadId, batch) {
      await disk.untilRoom({ patienceMs: SAVE_PATIENCE_MS });
      await threads.update(threadId, 'applyBatch', batch, { patienceMs: SAVE_PATIENCE_MS });
      payloads.changed(threadId);
    },
    offload: (threadId, op) => payloads.offloadOp(threadId, op, { patienceMs: SAVE_PATIENCE_MS }),
    async *read(threadId, selection) {
      const all = readCheckpoints(threads, payloads, threadId, { ...selection, content: 'bytes' });
      for await (const { checkpoint, blobs } of all) yield toCheckpoint(checkpoint, blobs);
    },
  };
}

/** Ends activities by their token. An end waits for room on the disk as long as it takes. */
export function createCompletion(
  { client }: EngineConnection,
  disk: Disk = unknownDisk,
): {
  complete(taskToken: Uint8Array, result: Uint8Array): Promise<boolean>;
} {
  return {
    async complete(taskToken, result) {
      await disk.untilRoom();
      try {
        await callUntilAnswered(() => client.activity.complete(taskToken, result), {
          patienceMs: SAVE_PATIENCE_MS,
        });
        return true;
      } catch (error) {
        if (isGone(error)) return false;
        throw new ServiceError('engine_unavailable', 'The end of a run could not be recorded.', {
          cause: error,
        });
      }
    },
  };
}
