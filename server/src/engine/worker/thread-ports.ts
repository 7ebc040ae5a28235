import { ServiceError } from '../../errors/service-error.ts';
import { toCheckpoint } from '../../model/checkpoint/checkpoint-codec.ts';
import type { ThreadId } from '../../model/ids.ts';
import type { StateCommit, ThreadReport } from '../../model/thread/thread-wire.ts';
import { callUntilAnswered } from '../client/calls.ts';
import { readCheckpoints } from '../read/checkpoint-reader.ts';
import type { EngineConnection } from '../client/connection.ts';
import { type Disk, unknownDisk } from '../disk/disk-port.ts';
import { isGone } from '../client/failures.ts';
import type { CheckpointPort } from '../../model/checkpoint/checkpoint-port.ts';
import type { PayloadPort } from '../../model/checkpoint/payload-port.ts';
import type { ThreadClient } from '../client/thread-client.ts';
import type { Metrics } from '../../observability/metrics.ts';
import type { ThreadWorkerParts } from './thread-worker.ts';

/** A save outlasts a restart of the engine and of the storage; after this time the attempt fails as INFRA. */
export const SAVE_PATIENCE_MS = 60_000;

/** Checkpoints of threads, for the attempts that run in this process. A save waits for free space on the disk. */
export function createThreadCheckpoints(
  threads: ThreadClient,
  payloads: PayloadPort,
  disk: Disk = unknownDisk,
): CheckpointPort {
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

/** Ends activities by their token. An end waits for free space on the disk without a limit. */
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

/** Changes of threads' states between their runs, for `activities`. */
export interface StateCommits {
  report(threadId: ThreadId): Promise<ThreadReport>;
  /** One atomic Update. Rejects with `thread_busy`, also when the state was changed meanwhile, or `thread_stopped`. */
  commit(threadId: ThreadId, commit: StateCommit): Promise<void>;
}

/** Implements them with a thread's queries and Updates. */
export function createStateCommits(
  threads: ThreadClient,
  payloads: Pick<PayloadPort, 'changed'>,
): StateCommits {
  return {
    report: (threadId) => threads.query<ThreadReport>(threadId, 'thread'),
    async commit(threadId, commit) {
      await threads.update(threadId, 'updateState', commit);
      payloads.changed(threadId);
    },
  };
}

/** The counters of changes of executions. */
export type ContinueMetrics = Pick<
  Metrics,
  | 'canPayloadBudgetExceeded'
  | 'canPendingWritesRetainedBytes'
  | 'canMessagesValuesShed'
  | 'canTotal'
  | 'canPayloadBytes'
  | 'canShed'
>;

/** Counts what threads report when they continue in a new execution, or cannot. */
export function continueCounters(
  metrics: ContinueMetrics,
): Required<Pick<ThreadWorkerParts, 'onContinued' | 'onBudgetExceeded'>> {
  return {
    onContinued({ trigger, shed, bytes, outputsShed, writeBytes }) {
      metrics.canTotal.inc({ trigger });
      metrics.canPayloadBytes.observe({ trigger }, bytes);
      metrics.canPendingWritesRetainedBytes.inc(writeBytes);
      metrics.canMessagesValuesShed.inc(outputsShed);
      if (shed !== 'nothing') metrics.canShed.inc({ shed });
    },
    onBudgetExceeded: () => metrics.canPayloadBudgetExceeded.inc(),
  };
}
