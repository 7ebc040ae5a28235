import type { Checkpoint } from '../model/checkpoint.ts';
import type { RunUuid, ThreadId } from '../model/ids.ts';
import type { Payload } from '../model/payload.ts';
import type { RunView } from '../model/run.ts';
import type { CheckpointBatch, CheckpointSelection } from '../model/thread-wire.ts';

/** The thread's checkpoints, as far as its workflow has them. Rejects with ServiceErrors. */
export interface CheckpointPort {
  /**
   * Resolves when the batch is durable; retried for a limited time, also after a cancel: what was written is part of
   * what the run did. `run_fenced`.
   */
  applyBatch(threadId: ThreadId, batch: CheckpointBatch): Promise<void>;
  /** Newest first, each with all its blobs and pending writes. */
  read(
    threadId: ThreadId,
    selection: Omit<CheckpointSelection, 'content'>,
  ): AsyncIterable<Checkpoint>;
}

/** Opens what lies deflated or outside of its thread. */
export interface PayloadPort {
  open(threadId: string, payload: Payload): Promise<Uint8Array>;
}

/** Ends activities by their token, so that the end is known to be durable. */
export interface CompletionPort {
  /** True once the engine has acknowledged the result; false when the activity is no longer there. */
  complete(taskToken: Uint8Array, result: Uint8Array): Promise<boolean>;
}

/** What this process keeps about the attempts that run in it. */
export interface LocalRunsPort {
  begin(threadId: ThreadId, runUuid: RunUuid, abort: () => void): void;
  end(runUuid: RunUuid): void;
  settle(runUuid: RunUuid, view?: RunView): void;
  isStopping(): boolean;
}

/** A record of running attempts that outlives the process. */
export interface AttemptJournalPort {
  add(threadId: string, runUuid: string, attempt: number): void;
  remove(runUuid: string, attempt: number): void;
}
