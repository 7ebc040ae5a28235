import type { CheckpointStore, StoreSnapshot } from '../checkpoint/checkpoint-store.ts';
import type { Idempotency, RememberedKey } from './idempotency.ts';
import type { Payload } from '../checkpoint/payload.ts';
import type { RunFacts, MultitaskStrategy, RunError, RunFailure, RunStatus } from '../run/run.ts';
import type { RunIndex, ThreadStatus } from './thread.ts';
import type { RestartPolicy } from '../run/restarts.ts';

/** A run on its way in. `request` is the packed NewRun, which only the activity opens. */
export interface RunTicket extends RunFacts {
  restart: RestartPolicy;
  request: Payload;
  /** The run answers interrupts (`command.resume`): refused when nothing waits. */
  isResume: boolean;
  /** The checkpoint to run from: refused when the thread does not have it. */
  checkpoint?: { ns: string; id: string };
  /** What becomes of runs that are active or queued; absent: they come first. */
  multitask?: MultitaskStrategy;
  /** The run of a key that the thread knows is answered instead. */
  idempotency?: Idempotency;
  /** Its `context`, a JSON object as bytes: for its attempts, and for who goes on from it. Absent: none, or shed. */
  context?: Payload;
  /** It brings no context and goes on from something: it gets the context of that when it begins. */
  continues?: boolean;
  /** It begins no sooner, by the host's clock, and the runs that are due before it go first; absent: at once, or begun. */
  notBefore?: number;
}

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

/** A run as its thread keeps it: its ticket, and what became of it. */
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
  /** Attempts that began because the thread changed executions: they are no restarts. Absent: none. */
  continuations?: number;
  /** The attempt in which the guest's invocation began, whose writes are taken; absent: this one. */
  fence?: number;
  /** Some attempt has crashed, or its guest gave no sign of life: the next ones get a guest of their own. */
  hasCrashed?: boolean;
  /** How the last attempt was lost, until the next one begins. */
  lost?: RunFailure;
  /** It has changed the checkpoints. */
  hasWritten?: boolean;
  /** It was cancelled before it changed anything: the thread is what it was before it. */
  isVoid?: boolean;
  /** The next attempt begins then; absent while an attempt runs. */
  retryAt?: number;
  /** Last checkpoint write of the invocation that was applied. */
  seq: number;
  /** The run-output read model: JSON bytes, absent once shed. */
  output?: Payload;
  interrupts?: Payload;
  error?: RunError;
  /** The head of the root namespace when the run began; until it settles. */
  base?: string;
  /** Another run takes its place: it is removed with its checkpoints as soon as it has stopped. */
  isRolledBack?: boolean;
}

/** What of a run may be large, or lie in an external storage. */
export function payloadsOf({ request, output, interrupts, context }: StoredRun): Payload[] {
  return [request, output, interrupts, context].filter((payload) => payload !== undefined);
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
