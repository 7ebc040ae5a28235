import type { CheckpointStore, StoreSnapshot } from '../checkpoint/checkpoint-store.ts';
import type { Idempotency, RememberedKey } from './idempotency.ts';
import type { Payload } from '../checkpoint/payload.ts';
import type { MultitaskStrategy, RunError, RunFailure, RunStatus } from '../run/run.ts';
import type { RunIndex, ThreadStatus } from './thread.ts';

/** A run to be created. `request` is the packed NewRun, which only the activity opens. */
export interface RunTicket {
  runUuid: string;
  agentId: string;
  /** Milliseconds, the clock of the host that accepted the run. */
  createdAt: number;
  metadata: Record<string, unknown>;
  restart: RestartPolicy;
  request: Payload;
  /** The run answers interrupts (`command.resume`): refused when none is open. */
  isResume: boolean;
  /** The checkpoint to run from: refused when the thread does not have it. */
  checkpoint?: { ns: string; id: string };
  /** What happens to active or queued runs; absent: they run first. */
  multitask?: MultitaskStrategy;
  /** When the thread knows the key, its run is returned instead. */
  idempotency?: Idempotency;
  /** The version of the agent's code. */
  agentVersion?: string;
  /** Its `context`, a JSON object as bytes: for its attempts, and for runs that continue it. Absent: none, or shed. */
  context?: Payload;
  /** It brings no context and continues an earlier run: it gets that run's context when it begins. */
  continues?: boolean;
  /** It begins no sooner, by the host's clock, and runs that are due earlier go first; absent: at once, or begun. */
  notBefore?: number;
}

/** How often a lost attempt is retried. Decisions: "restart". */
export interface RestartPolicy {
  /** Restarts after the first attempt; 0 switches them off. */
  maxAttempts: number;
  initialBackoffMs: number;
  factor: number;
  maxBackoffMs: number;
}

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

/** A run as its thread keeps it: its ticket, and its progress and result. */
export interface StoredRun extends Omit<
  RunTicket,
  'request' | 'isResume' | 'checkpoint' | 'multitask' | 'idempotency'
> {
  status: RunStatus;
  updatedAt: number;
  /** The packed request; dropped when the run has settled (Spec: the run input is not persisted). */
  request?: Payload;
  /** 0 until the first attempt begins. */
  attempt: number;
  lastFailure?: RunFailure;
  /** Attempts that began because the thread changed executions: they are not restarts. Absent: none. */
  continuations?: number;
  /** The attempt in which the guest's invocation began, whose writes are accepted; absent: this one. */
  fence?: number;
  /** Some attempt has crashed, or its guest gave no sign of life: the next ones get their own guest. */
  hasCrashed?: boolean;
  /** How the last attempt was lost, until the next one begins. */
  lost?: RunFailure;
  /** It has changed the checkpoints. */
  hasWritten?: boolean;
  /** It was cancelled before it changed anything: the thread is as before it. */
  isVoid?: boolean;
  /** The next attempt begins at this time; absent while an attempt runs. */
  retryAt?: number;
  /** Last checkpoint write of the invocation that was applied. */
  seq: number;
  /** The run-output read model: JSON bytes, absent once shed. */
  output?: Payload;
  interrupts?: Payload;
  error?: RunError;
  /** The head of the root namespace when the run began; until it settles. */
  base?: string;
  /** Another run replaces it: it is removed with its checkpoints as soon as it has stopped. */
  isRolledBack?: boolean;
}

/** The parts of a run that may be large, or in an external storage. */
export function payloadsOf({ request, output, interrupts, context }: StoredRun): Payload[] {
  return [request, output, interrupts, context].filter((payload) => payload !== undefined);
}

/** The whole state of a thread. Changed only by `thread-reducer.ts`. */
export interface ThreadState {
  threadId: string;
  isEphemeral: boolean;
  createdAt: number;
  updatedAt: number;
  metadata: Record<string, string>;
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
