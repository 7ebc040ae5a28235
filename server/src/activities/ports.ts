import type { Checkpoint } from '../model/checkpoint/checkpoint.ts';
import type { AgentId, RunId, RunUuid, ThreadId } from '../model/ids.ts';
import type { OffloadedPayload } from '../model/checkpoint/payload-port.ts';
import type { RunView } from '../model/run/run.ts';
import type { StoredOp } from '../model/checkpoint/stored.ts';
import type {
  AttemptInput,
  CheckpointBatch,
  CheckpointSelection,
} from '../model/thread/thread-wire.ts';

/** Why an invocation is asked to stop. */
export type StopReason = 'cancel' | 'thread_deleted' | 'shutdown' | 'superseded';

/** An attempt as its activity gets it: the ids were parsed when the run was accepted. */
export interface Attempt extends AttemptInput {
  threadId: ThreadId;
  runUuid: RunUuid;
  agentId: AgentId;
}

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

/** Ends activities by their token, so that the end is known to be durable. */
export interface CompletionPort {
  /** True once the engine has acknowledged the result; false when the activity is no longer there. */
  complete(taskToken: Uint8Array, result: Uint8Array): Promise<boolean>;
}

/** What this process keeps about the attempts that run in it. */
export interface LocalRunsPort {
  begin(threadId: ThreadId, runUuid: RunUuid, stop: (reason: StopReason) => void): void;
  end(runId: RunId): void;
  /** The end of a run is durable. */
  ended(runId: RunId, view: RunView): void;
  isStopping(): boolean;
}
