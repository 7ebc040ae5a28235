import type { RunUuid, ThreadId } from '../model/ids.ts';
import type { NewRun, RunView } from '../model/run.ts';
import type { HistoryEntry, StateSnapshot, ThreadView } from '../model/thread.ts';

/** What a list answers: one page, and how many there are in all. */
export interface Page<T> {
  items: T[];
  total: number;
}

/**
 * The durable engine as the `threads` room sees it. Every method rejects with a ServiceError:
 * `thread_not_found`, `run_not_found`, `engine_unavailable`, or the code named beside it.
 */
export interface EnginePort {
  /** `thread_exists` when the id is taken. */
  createThread(threadId: ThreadId, metadata: Record<string, string>): Promise<ThreadView>;
  readThread(threadId: ThreadId): Promise<ThreadView & { state: StateSnapshot }>;
  /** Merges by key; the answer's `updatedAt` is the time of the change. */
  patchMetadata(threadId: ThreadId, metadata: Record<string, string>): Promise<ThreadView>;
  /** Resolves when the thread is gone for every later call. */
  deleteThread(threadId: ThreadId): Promise<void>;

  /** `not_interrupted`, `thread_stopped`, `payload_too_large`. Queued when another run is active. */
  createRun(threadId: ThreadId, run: NewRun): Promise<RunView>;
  /** A run on an ephemeral thread of its own. */
  startStateless(threadId: ThreadId, run: NewRun): Promise<RunView>;
  readRun(threadId: ThreadId, runUuid: RunUuid): Promise<RunView>;
  /** Newest first. */
  listRuns(threadId: ThreadId, page: { limit: number; offset: number }): Promise<Page<RunView>>;
  /** Idempotent: a run that has ended is answered as it is. */
  cancelRun(threadId: ThreadId, runUuid: RunUuid): Promise<RunView>;
  /** `run_active` while the run is pending or running. */
  deleteRun(threadId: ThreadId, runUuid: RunUuid): Promise<void>;
  /** Resolves when the run is settled (ended or interrupted); rejects with the signal's reason. */
  awaitRun(threadId: ThreadId, runUuid: RunUuid, signal: AbortSignal): Promise<RunView>;

  /** The head of the root namespace; empty values when nothing ran yet. */
  readState(threadId: ThreadId): Promise<StateSnapshot>;
  /** Newest first, of the root namespace. */
  readHistory(threadId: ThreadId, query: { limit: number }): Promise<HistoryEntry[]>;

  /** False while the engine does not answer. */
  isHealthy(): Promise<boolean>;
}
