import type { Idempotency } from '../model/thread/idempotency.ts';
import type { RunUuid, ThreadId } from '../model/ids.ts';
import type { NewRun, RunStatus, RunView } from '../model/run/run.ts';
import type {
  CheckpointRef,
  HistoryEntry,
  StateSnapshot,
  ThreadStatus,
  ThreadView,
} from '../model/thread/thread.ts';

/** The result of a list: its rows, read one by one as they are consumed, and their total number. */
export interface RowStream<T> {
  total: number;
  items: AsyncIterable<T>;
}

/** One checkpoint: the one with this id, in `ns` or in any namespace; without an id the head of `ns`. */
export type CheckpointTarget = { id: string; ns?: string } | { ns: string };

/** What a thread remembers of the request that created it, for as long as it exists. */
export interface CreationMark extends Idempotency {
  /** Milliseconds. */
  at: number;
}

/** Which checkpoints a history has. */
export interface HistoryQuery {
  limit: number;
  /** Absent: every namespace. */
  ns?: string;
  /** Only checkpoints older than this one, which need not be retained. */
  beforeId?: string;
}

/** The circumstances of a thread's creation. */
export interface Creation {
  mark?: CreationMark;
  /** The `sub` that created it. */
  owner?: string;
}

/** The criteria of a search: a thread has to match all that are given. */
export interface ThreadFilter {
  status?: ThreadStatus;
  /** The thread must have every pair. */
  metadata?: Record<string, string>;
  ids?: readonly ThreadId[];
  idPrefix?: string;
  /** Of the newest run. */
  agentId?: string;
  /** Of the newest run. */
  runStatus?: RunStatus;
}

/** A search for threads; those of stateless runs are never found. */
export interface ThreadSearch extends ThreadFilter {
  limit: number;
  /** Rows to skip: each is read, unlike with a cursor. */
  offset?: number;
  /** The position at which an earlier page of the same search ended. */
  cursor?: string;
  /** Decides about each row. Absent: all are visible. */
  isVisible?(thread: ThreadView): Promise<boolean>;
}

/** A page of a search. `updatedAt` is the creation time (Spec: POST /threads/search). */
export interface ThreadPage {
  items: ThreadView[];
  /** The number of all matches; absent when it would require examining too many threads one by one. */
  total?: number;
  /** The cursor of the next page; absent after the last one. */
  next?: string;
}

/**
 * The durable engine as `threads` sees it. Every method rejects with a ServiceError:
 * `thread_not_found`, `run_not_found`, `engine_unavailable`, or the code given in its comment.
 */
export interface EnginePort {
  /** `thread_exists` when the id is taken. */
  createThread(
    threadId: ThreadId,
    metadata: Record<string, string>,
    made?: Creation,
  ): Promise<ThreadView>;
  /** Creates a thread that holds only its mark, ends at once, and is readable for 72 h. `thread_exists`. */
  reserveIdempotencyKey(threadId: ThreadId, mark: CreationMark): Promise<void>;
  /** The mark that a thread was created with; undefined when it has none, or there is no thread. */
  readMark(threadId: ThreadId): Promise<CreationMark | undefined>;
  /**
   * A new idle thread with the metadata of `source` and one checkpoint of its root namespace: the head, or the given
   * one (`checkpoint_not_found`). `thread_exists`, `checkpoint_too_large`.
   */
  copyThread(
    source: ThreadId,
    target: ThreadId,
    options?: { checkpointId?: string } & Creation,
  ): Promise<ThreadView>;
  /** Newest start first. Follows writes within a second. `invalid_request` for a cursor of another search. */
  searchThreads(search: ThreadSearch): Promise<ThreadPage>;
  readThread(threadId: ThreadId): Promise<ThreadView & { state: StateSnapshot }>;
  /** The `sub` that created it; undefined when it has no owner. */
  ownerOf(threadId: ThreadId): Promise<string | undefined>;
  /** Merges by key; the result's `updatedAt` is the time of the change. */
  patchMetadata(threadId: ThreadId, metadata: Record<string, string>): Promise<ThreadView>;
  /** Resolves when every later call finds the thread deleted. */
  deleteThread(threadId: ThreadId): Promise<void>;

  /**
   * `not_interrupted`, `thread_stopped`, `thread_busy`, `payload_too_large`. Queued when another run is active, unless
   * its strategy differs. The same key again returns the run that it made; `idempotency_conflict`.
   */
  createRun(threadId: ThreadId, run: NewRun, idempotency?: Idempotency): Promise<RunView>;
  /** A run on its own ephemeral thread, which has this metadata. `thread_exists`. */
  startStateless(
    threadId: ThreadId,
    run: NewRun,
    mark?: CreationMark,
    metadata?: Record<string, string>,
  ): Promise<RunView>;
  readRun(threadId: ThreadId, runUuid: RunUuid): Promise<RunView>;
  /** Newest first. */
  listRuns(
    threadId: ThreadId,
    page: { limit: number; offset: number },
  ): Promise<RowStream<RunView>>;
  /** Idempotent: a run that has ended is returned unchanged. */
  cancelRun(threadId: ThreadId, runUuid: RunUuid): Promise<RunView>;
  /** `run_active` while the run is pending or running. */
  deleteRun(threadId: ThreadId, runUuid: RunUuid): Promise<void>;
  /** Resolves when the run is settled (ended or interrupted); rejects with the signal's reason. */
  awaitRun(threadId: ThreadId, runUuid: RunUuid, signal: AbortSignal): Promise<RunView>;

  /** The head of the root namespace; empty values when nothing ran yet. */
  readState(threadId: ThreadId): Promise<StateSnapshot>;
  /** `checkpoint_not_found` when the thread does not retain it. */
  readCheckpoint(
    threadId: ThreadId,
    target: CheckpointTarget,
  ): Promise<StateSnapshot & { checkpoint: CheckpointRef }>;
  /** Newest first, read as it is consumed. The first entry rejects when the thread does not exist. */
  readHistory(threadId: ThreadId, query: HistoryQuery): AsyncIterable<HistoryEntry>;

  /** False while the engine does not respond. */
  isHealthy(): Promise<boolean>;
}
