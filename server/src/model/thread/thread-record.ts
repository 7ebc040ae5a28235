import type { CheckpointStore, StoreSnapshot } from '../checkpoint/checkpoint-store.ts';
import type { RememberedKey } from './idempotency.ts';
import type { Payload } from '../checkpoint/payload.ts';
import type { RunError, RunStatus } from '../run/run.ts';
import type { RunIndex, ThreadOrigin, ThreadStatus } from './thread.ts';
import type { StoredRun } from '../run/run-record.ts';

/** Settings that a thread keeps from its creation. */
export interface ThreadSettings {
  /** Checkpoints retained per run and namespace. Spec: Limits, max checkpoint history. */
  maxCheckpointHistory: number;
  maxRunHistory: number;
  /** 0: automatic. Spec: Limits, engine.max_checkpoint_bytes. `deriveLimits(settings)` derives the limits from it. */
  maxCheckpointBytes: number;
  /** External checkpoint storage was on. */
  isExternal?: boolean;
  /** Spec: Limits, can_payload_budget_bytes. */
  canPayloadBudgetBytes?: number;
  /** The limit of one payload of the engine; absent: the usual one. */
  payloadBytes?: number;
}

/** The whole state of a thread. Changed only by `thread-reducer.ts`. */
export interface ThreadState {
  threadId: string;
  isEphemeral: boolean;
  createdAt: number;
  updatedAt: number;
  metadata: Record<string, string>;
  /** The keys of metadata whose text is the JSON of a value that a client of LangGraph Server gave. Absent: none. */
  jsonKeys?: string[];
  settings: ThreadSettings;
  /** In the order of creation; a delayed run is ordered by its beginning. */
  runs: Map<string, StoredRun>;
  /** The last of them that is not delayed; when all are, one of those. */
  newest?: string;
  /** Queued runs, in the order in which they begin; the active one is not among them. */
  queue: string[];
  active?: string;
  store: CheckpointStore;
  /** Counts every change of the checkpoints, so that a host can check whether its cached head is current. */
  revision: number;
  /** The status that the visibility store has. For threads of stateless runs it has none. */
  publishedStatus: ThreadStatus;
  /** The visibility store's data about the newest run. */
  publishedRun: RunIndex;
  /** The `sub` that created the thread; absent: it has no owner. */
  owner?: string;
  /** Why the thread runs nothing more. */
  stopped?: RunError;
  /** What a copy was made of; not in bundles, as it names a thread of this engine. */
  origin?: ThreadOrigin;
  /** The agent of a copy's source. */
  agentId?: string;
  /** The questions at the head of a copy, of an edited state or of a deleted run. Until a run ends. */
  questions?: Payload;
  /** Of a copy: the `context` of the run that wrote its first state. */
  context?: Payload;
  /** The status of the newest run when it was deleted, until another one ends that has written. */
  left?: RunStatus;
  /** The run that asked the question at the head was cancelled; until another one ends that has written. */
  isWithdrawn?: boolean;
  /** The first checkpoint of each of the last changes from outside of runs. Absent: none. */
  commits?: string[];
  /** Idempotency keys of runs, oldest first. Absent: none. */
  keys?: RememberedKey[];
}

/** The run id of checkpoints that no run of the thread saved. */
export const OUTSIDE_RUNS = 'outside';

/** A thread as plain data, for its next execution. */
export interface ThreadSnapshot {
  thread: Omit<ThreadState, 'runs' | 'store'>;
  runs: StoredRun[];
  store: StoreSnapshot;
}
