import { ServiceError } from '../../errors/service-error.ts';
import { toCheckpoint } from '../../model/checkpoint/checkpoint-codec.ts';
import type { ThreadId } from '../../model/ids.ts';
import type {
  CheckpointBatch,
  CheckpointSelection,
  StateCommit,
  ThreadReport,
} from '../../model/thread/thread-wire.ts';
import { callWithRetries } from '../client/calls.ts';
import { readCheckpoints } from '../read/checkpoint-reader.ts';
import type { EngineConnection } from '../client/connection.ts';
import { type Disk, unknownDisk } from '../disk/disk-port.ts';
import { isGone } from '../client/failures.ts';
import type { Checkpoint } from '../../model/checkpoint/checkpoint.ts';
import type { StoredOp } from '../../model/checkpoint/stored.ts';
import type { CheckpointPort } from '../../model/checkpoint/checkpoint-port.ts';
import type { OffloadedPayload, PayloadPort } from '../../model/checkpoint/payload-port.ts';
import type { ThreadClient } from '../client/thread-client.ts';
import type { Metrics } from '../../observability/metrics.ts';
import type { ThreadWorkerParts } from './thread-worker.ts';

/** A save outlasts a restart of the engine and of the storage; after this time the attempt fails as INFRA. */
export const SAVE_PATIENCE_MS = 60_000;

/** Checkpoints of threads, for the attempts that run in this process. A save waits for free space on the disk. */
export class ThreadCheckpoints implements CheckpointPort {
  readonly #threads: ThreadClient;
  readonly #payloads: PayloadPort;
  readonly #disk: Disk;

  constructor(threads: ThreadClient, payloads: PayloadPort, disk: Disk = unknownDisk) {
    this.#threads = threads;
    this.#payloads = payloads;
    this.#disk = disk;
  }

  async applyBatch(threadId: ThreadId, batch: CheckpointBatch): Promise<void> {
    await this.#disk.untilSpace({ patienceMs: SAVE_PATIENCE_MS });
    await this.#threads.update(threadId, 'applyBatch', batch, { patienceMs: SAVE_PATIENCE_MS });
    this.#payloads.changed(threadId);
  }

  offload(
    threadId: ThreadId,
    op: StoredOp<Uint8Array>,
  ): Promise<OffloadedPayload<StoredOp>> | undefined {
    return this.#payloads.offloadOp(threadId, op, { patienceMs: SAVE_PATIENCE_MS });
  }

  async *read(
    threadId: ThreadId,
    selection: Omit<CheckpointSelection, 'content'>,
  ): AsyncGenerator<Checkpoint> {
    const wanted = { ...selection, content: 'bytes' } as const;
    const all = readCheckpoints(this.#threads, this.#payloads, threadId, wanted);
    for await (const { checkpoint, blobs } of all) yield toCheckpoint(checkpoint, blobs);
  }
}

/** Ends activities by their token. An end waits for free space on the disk without a limit. */
export class ActivityCompletion {
  readonly #client: EngineConnection['client'];
  readonly #disk: Disk;

  constructor({ client }: EngineConnection, disk: Disk = unknownDisk) {
    this.#client = client;
    this.#disk = disk;
  }

  /** True once the engine has acknowledged the result; false when the activity no longer exists. */
  async complete(taskToken: Uint8Array, result: Uint8Array): Promise<boolean> {
    await this.#disk.untilSpace();
    try {
      await callWithRetries(() => this.#client.activity.complete(taskToken, result), {
        patienceMs: SAVE_PATIENCE_MS,
      });
      return true;
    } catch (error) {
      if (isGone(error)) return false;
      throw new ServiceError('engine_unavailable', 'The end of a run could not be recorded.', {
        cause: error,
      });
    }
  }
}

/** Changes of threads' states between their runs, for `activities`: a thread's queries and Updates. */
export class StateCommits {
  readonly #threads: ThreadClient;
  readonly #payloads: Pick<PayloadPort, 'changed'>;

  constructor(threads: ThreadClient, payloads: Pick<PayloadPort, 'changed'>) {
    this.#threads = threads;
    this.#payloads = payloads;
  }

  report(threadId: ThreadId): Promise<ThreadReport> {
    return this.#threads.query<ThreadReport>(threadId, 'thread');
  }

  /** One atomic Update. Rejects with `thread_busy`, also when the state was changed meanwhile, or `thread_stopped`. */
  async commit(threadId: ThreadId, commit: StateCommit): Promise<void> {
    await this.#threads.update(threadId, 'updateState', commit);
    this.#payloads.changed(threadId);
  }
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
