import type { Idempotency } from '../model/thread/idempotency.ts';
import type { ThreadId } from '../model/ids.ts';
import type { RunStatus } from '../model/run/run.ts';
import type { ThreadStatus, ThreadView } from '../model/thread/thread.ts';

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
  /** The keys of its metadata whose text is the JSON of what was given. */
  jsonKeys?: string[] | undefined;
  /** Checkpoints retained of each of its runs. Absent: as the service is configured. */
  checkpointHistory?: number | undefined;
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
