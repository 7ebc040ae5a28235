/**
 * Everything that crosses the engine between the host and a thread's workflow, packed by `frame.ts`. These shapes
 * are in recorded histories: from the first release on members are added as optional, never renamed or removed (see
 * thread-workflow.ts, "What replays").
 */
import type { RunError, RunFacts } from '../run/run.ts';
import type { StoreSnapshot } from '../checkpoint/checkpoint-store.ts';
import type { Payload } from '../checkpoint/payload.ts';
import type { StoredBlob, StoredCheckpoint, StoredOp } from '../checkpoint/stored.ts';
import type { RunTicket, StoredRun } from '../run/run-record.ts';
import type { ThreadSettings, ThreadSnapshot } from './thread-record.ts';
import type { ThreadOrigin, ThreadStatus } from './thread.ts';

/** The initial state of a copied thread: a checkpoint of another one. */
export interface CarriedState {
  store: StoreSnapshot;
  /** The agent that wrote it. */
  agentId?: string;
  /** The questions that are open at its head: [{id, value}] as JSON bytes. */
  questions?: Payload;
  /** The `context` of the run that wrote it. */
  context?: Payload;
}

/** Input of the thread workflow: a new thread, or the same thread in its next execution. */
export type ThreadStart =
  | {
      kind: 'new';
      threadId: string;
      isEphemeral: boolean;
      createdAt: number;
      metadata: Record<string, string>;
      settings: ThreadSettings;
      firstRun?: RunTicket;
      carried?: CarriedState;
      /** The `sub` that created the thread. */
      owner?: string;
      /** Of a copy. */
      origin?: ThreadOrigin;
      /** As in ThreadState. */
      jsonKeys?: string[];
    }
  | { kind: 'continued'; snapshot: ThreadSnapshot };

/** Checkpoint writes of one invocation, in order. (run, attempt) is the fence, `firstSeq` makes it idempotent. */
export interface CheckpointBatch {
  runUuid: string;
  /** The attempt in which the guest's invocation began: a continue-as-new counts attempts but keeps the invocation. */
  attempt: number;
  /** Sequence number of the first op; they grow by one, from 1, within an attempt. */
  firstSeq: number;
  ops: StoredOp[];
}

/** What an attempt and a report have of the run. With `fence`, the invocation that began in that attempt is taken over. */
type AttemptMember = keyof RunFacts | 'attempt' | 'lastFailure' | 'context';

/** The input of the activity of one attempt. */
export interface AttemptInput extends Pick<StoredRun, AttemptMember | 'fence' | 'hasCrashed'> {
  threadId: string;
  maxAttempts: number;
  /** The run has saved its own checkpoint: its start was applied, the attempt continues from the head. */
  hasOwnCheckpoint: boolean;
  /** Counts every change of the thread's checkpoints; 0: there are none. */
  revision: number;
  /** The newest checkpoint of the root namespace; absent: there is none. */
  headId?: string;
  request: Payload;
  settings: ThreadSettings;
  /** The run is to stop: an invocation that is taken over is asked to stop. */
  isCancelled?: boolean;
  /** The workflow task that began the attempt was lost, perhaps with its process. */
  isRepeated?: boolean;
}

/**
 * How an attempt ended. `deferred`: the host is stopping and has not begun it. `detached`: there was nothing to take
 * over. `continues`: it runs longer than the workflow task that began it may take, and is to be taken over. `ops` are the
 * writes that were still queued: the end of the run travels here, so a short run costs no Update.
 */
export interface AttemptResult {
  outcome:
    | 'completed'
    | 'interrupted'
    | 'error'
    | 'cancelled'
    | 'crash'
    | 'infra'
    | 'deferred'
    | 'detached'
    | 'continues';
  endedAt: number;
  firstSeq: number;
  ops: StoredOp[];
  output?: Payload;
  interrupts?: Payload;
  error?: RunError;
  /** With `infra`: its guest gave no sign of life and was killed. */
  wasStuck?: true;
}

/** The stored members in a run's report; `context` only when a run is read by itself and its context fits. */
type ReportedMember =
  AttemptMember | 'status' | 'updatedAt' | 'error' | 'output' | 'kwargs' | 'multitask';

/** A run as the thread reports it; `output` and `interrupts` are JSON bytes. */
export interface RunReport extends Pick<StoredRun, ReportedMember> {
  maxAttempts: number;
  queuePosition?: number;
  /** In the response to its creation: the runs that were asked to stop for it. */
  replaced?: string[];
}

/** A thread as it reports itself. */
export interface ThreadReport {
  threadId: string;
  status: ThreadStatus;
  createdAt: number;
  updatedAt: number;
  metadata: Record<string, string>;
  isEphemeral: boolean;
  /** The open questions: [{id, value}] as JSON bytes. */
  interrupts?: Payload;
  /** The agent of the newest run, or of the source of a copy. */
  agentId?: string;
  /** Counts every change of the thread's checkpoints. */
  revision: number;
  /** The newest checkpoint of the root namespace. */
  headId?: string;
  /** Why the thread runs nothing more. */
  stopped?: RunError;
  settings: ThreadSettings;
  /** The `sub` that created the thread. */
  owner?: string;
  /** Of a copy. */
  origin?: ThreadOrigin;
  /** As in ThreadState. */
  jsonKeys?: string[];
  /** When the head was saved, ISO 8601. */
  headAt?: string;
  /** Of the newest run. */
  error?: RunError;
  /** Some run has not begun yet, be it delayed. */
  isQueued?: boolean;
  /** `configurable` of the newest run, where a client of LangGraph Server made it. */
  configurable?: Record<string, unknown>;
}

/** A run is to stop. */
export interface CancelRequest extends CancelOptions {
  runUuid: string;
  now: number;
}

export interface CancelOptions {
  /** The run is removed with its checkpoints once it has stopped. */
  isRollback?: boolean;
  /** A run that has ended stays as it is, with the question that it asked. */
  isActiveOnly?: boolean;
}

/** A change of the metadata, by key. */
export interface MetadataPatch {
  metadata: Record<string, string>;
  now: number;
  /** As in ThreadState, of these keys. */
  jsonKeys?: string[];
}

/** A change of the state between runs. Refused when it was computed from other checkpoints. */
export interface StateCommit {
  expectedRevision: number;
  ops: StoredOp[];
  /** The questions that are open at the new head: [{id, value}] as JSON bytes. */
  questions: Payload;
  /** The agent whose graph made it. */
  agentId: string;
  now: number;
  /** What the thread is as if a run had just ended so. Absent: what it was. */
  status?: 'completed' | 'interrupted';
}

/** What a query returns when its result would be larger than the engine carries. */
export interface QueryTooLarge {
  tooLarge: { size: number; limit: number };
}

/** Which checkpoints a read selects. Newest first; `ns` absent: every namespace. */
export interface CheckpointSelection {
  ns?: string;
  id?: string;
  beforeId?: string;
  limit?: number;
  /** Equality on metadata keys, as JSON texts. */
  filter?: Record<string, string>;
  /** Only checkpoints that this run has saved, or has written to. */
  run?: string;
  /** json: projections for HTTP responses; bytes: blobs and pending writes for a guest. */
  content: 'json' | 'bytes';
}

/** The address of a blob in a thread. */
export interface BlobAddress {
  ns: string;
  channel: string;
  version: string;
}

/**
 * Checkpoints with as many of their blobs as fit below the engine's ceiling. Omitted blobs are queried by
 * address; `nextBeforeId` is set when there are more entries than fitted.
 */
export interface CheckpointPage {
  checkpoints: StoredCheckpoint[];
  blobs: (BlobAddress & StoredBlob)[];
  /** Blobs that did not fit. */
  omitted: BlobAddress[];
  nextBeforeId?: string;
}
