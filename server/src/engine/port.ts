import type { Idempotency } from '../model/thread/idempotency.ts';
import type { RunUuid, ThreadId } from '../model/ids.ts';
import type { NewRun, RunStatus, RunView } from '../model/run/run.ts';
import type {
  CheckpointPlace,
  HistoryEntry,
  StateSnapshot,
  ThreadStatus,
  ThreadView,
} from '../model/thread/thread.ts';

/** What a list returns: its rows one after the other, read as they are taken, and how many there are in all. */
export interface RowStream<T> {
  total: number;
  items: AsyncIterable<T>;
}

/** One checkpoint: the one with this id, in `ns` or wherever it is; without an id the head of `ns`. */
export type CheckpointTarget = { id: string; ns?: string } | { ns: string };

/** What a thread remembers of the request that created it, as long as it is there. */
export interface CreationMark extends Idempotency {
  /** Milliseconds. */
  at: number;
}

/** Which checkpoints a history has. */
export interface HistoryQuery {
  limit: number;
  /** Absent: every namespace. */
  ns?: string;
  /** Only what is older than this checkpoint, which need not be retained. */
  beforeId?: string;
}

/** How a thread came to be, besides what it is. */
export interface Creation {
  mark?: CreationMark;
  /** The `sub` that created it. */
  owner?: string;
}

/** Which threads a search is for: all that is given has to fit. */
export interface ThreadFilter {
  status?: ThreadStatus;
  /** Every pair is one of the thread's. */
  metadata?: Record<string, string>;
  ids?: readonly ThreadId[];
  idPrefix?: string;
  /** Of the newest run. */
  agentId?: string;
  /** Likewise. */
  runStatus?: RunStatus;
}

/** A search for threads; those of stateless runs are never found. */
export interface ThreadSearch extends ThreadFilter {
  limit: number;
  /** Walked: a cursor is not. */
  offset?: number;
  /** Where an earlier page of the same search ended. */
  cursor?: string;
  /** Decides about each row. Absent: all are visible. */
  isVisible?(thread: ThreadView): Promise<boolean>;
}

/** A page of a search. `updatedAt` is the creation time (Spec: POST /threads/search). */
export interface ThreadPage {
  items: ThreadView[];
  /** How many are found in all; absent when it would take looking at every one of too many. */
  total?: number;
  /** Where the next page begins; absent after the last one. */
  next?: string;
}

/**
 * The durable engine as the `threads` room sees it. Every method rejects with a ServiceError:
 * `thread_not_found`, `run_not_found`, `engine_unavailable`, or the code named beside it.
 */
export interface EnginePort {
  /** `thread_exists` when the id is taken. */
  createThread(
    threadId: ThreadId,
    metadata: Record<string, string>,
    made?: Creation,
  ): Promise<ThreadView>;
  /** A thread that holds its mark and nothing else, ends at once, and is known for 72 h. `thread_exists`. */
  reserveIdempotencyKey(threadId: ThreadId, mark: CreationMark): Promise<void>;
  /** The mark that a thread was created with; undefined when there is none, or no thread. */
  readMark(threadId: ThreadId): Promise<CreationMark | undefined>;
  /**
   * A new idle thread with the metadata of `source` and one checkpoint of its root namespace: the head, or the one that
   * is named (`checkpoint_not_found`). `thread_exists`, `checkpoint_too_large`.
   */
  copyThread(
    source: ThreadId,
    target: ThreadId,
    options?: { checkpointId?: string } & Creation,
  ): Promise<ThreadView>;
  /** Newest start first. Follows writes within a second. `invalid_request` for a cursor of another search. */
  searchThreads(search: ThreadSearch): Promise<ThreadPage>;
  readThread(threadId: ThreadId): Promise<ThreadView & { state: StateSnapshot }>;
  /** The `sub` that created it; undefined when nobody did. */
  ownerOf(threadId: ThreadId): Promise<string | undefined>;
  /** Merges by key; the answer's `updatedAt` is the time of the change. */
  patchMetadata(threadId: ThreadId, metadata: Record<string, string>): Promise<ThreadView>;
  /** Resolves when the thread is gone for every later call. */
  deleteThread(threadId: ThreadId): Promise<void>;

  /**
   * `not_interrupted`, `thread_stopped`, `thread_busy`, `payload_too_large`. Queued when another run is active, unless
   * its strategy says otherwise. The same key again returns the run that it made; `idempotency_conflict`.
   */
  createRun(threadId: ThreadId, run: NewRun, idempotency?: Idempotency): Promise<RunView>;
  /** A run on an ephemeral thread of its own, which has this metadata. `thread_exists`. */
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
  /** Idempotent: a run that has ended is answered as it is. */
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
  ): Promise<StateSnapshot & { checkpoint: CheckpointPlace }>;
  /** Newest first, read as it is taken. The first entry rejects when there is no such thread. */
  readHistory(threadId: ThreadId, query: HistoryQuery): AsyncIterable<HistoryEntry>;

  /** False while the engine does not answer. */
  isHealthy(): Promise<boolean>;
}
