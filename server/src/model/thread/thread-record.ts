import type { CheckpointStore, StoreSnapshot } from '../checkpoint/checkpoint-store.ts';
import type { RememberedKey } from './idempotency.ts';
import type { Payload } from '../checkpoint/payload.ts';
import type { RunError, RunStatus } from '../run/run.ts';
import type { RunIndex, ThreadStatus } from './thread.ts';
import type { StoredRun } from '../run/run-record.ts';

/** Settings that a thread takes with it from its creation. */
export interface ThreadSettings {
  /** Checkpoints retained per run and namespace. Spec: Limits, max checkpoint history. */
  maxCheckpointHistory: number;
  maxRunHistory: number;
  /** 0: automatic. Spec: Limits, engine.max_checkpoint_bytes. `deriveLimits(settings)` gives what follows from it. */
  maxCheckpointBytes: number;
  /** External checkpoint storage was on. */
  isExternal?: boolean;
  /** Spec: Limits, can_payload_budget_bytes. */
  canPayloadBudgetBytes?: number;
  /** What one payload of the engine takes; absent: as usual. */
  payloadBytes?: number;
}

/** Everything a thread is. Changed only by `thread-reducer.ts`. */
export interface ThreadState {
  threadId: string;
  isEphemeral: boolean;
  createdAt: number;
  updatedAt: number;
  metadata: Record<string, string>;
  settings: ThreadSettings;
  /** In the order of creation; a run that waited for its moment is as new as its beginning. */
  runs: Map<string, StoredRun>;
  /** The last of them that does not wait for its moment; when all do, one of those. */
  newest?: string;
  /** Runs that wait, in the order in which they begin; the active one is not among them. */
  queue: string[];
  active?: string;
  store: CheckpointStore;
  /** Counts every change of the checkpoints, so that a host can tell whether what it remembers is current. */
  revision: number;
  /** The status that the visibility store knows. Of threads of stateless runs it is told nothing. */
  publishedStatus: ThreadStatus;
  /** What it knows of the newest run. */
  publishedRun: RunIndex;
  /** The `sub` that created the thread; absent: nobody in particular. */
  owner?: string;
  /** Why the thread runs nothing more. */
  stopped?: RunError;
  /** The agent of a copy's source. */
  agentId?: string;
  /** The questions at the head as somebody else than a run left them: a copy, an edited state. Until a run ends. */
  questions?: Payload;
  /** Of a copy: the `context` of the run that wrote what it begins with. */
  context?: Payload;
  /** The status of the newest run when it was deleted, until another one ends that has written. */
  left?: RunStatus;
  /** The run that asked what waits at the head was cancelled; until another one ends that has written. */
  isWithdrawn?: boolean;
  /** The first checkpoint of each of the last changes from outside of runs. Absent: none. */
  commits?: string[];
  /** Idempotency keys of runs, oldest first. Absent: none. */
  keys?: RememberedKey[];
}

/** In the place of the run for checkpoints that no run of the thread saved. */
export const OUTSIDE_RUNS = 'outside';

/** A thread as plain data, for its next execution. */
export interface ThreadSnapshot {
  thread: Omit<ThreadState, 'runs' | 'store'>;
  runs: StoredRun[];
  store: StoreSnapshot;
}
