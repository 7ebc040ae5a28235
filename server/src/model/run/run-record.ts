import type { Idempotency } from '../thread/idempotency.ts';
import type { Payload } from '../checkpoint/payload.ts';
import type { MultitaskStrategy, RunError, RunFacts, RunFailure, RunStatus } from './run.ts';
import type { RestartPolicy } from './restarts.ts';

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
  /** When the thread knows the key, the run of that key is returned instead. */
  idempotency?: Idempotency;
  /** Its `context`, a JSON object as bytes: for its attempts, and for runs that continue it. Absent: none, or shed. */
  context?: Payload;
  /** It brings no context and continues an earlier run: it gets that run's context when it begins. */
  continues?: boolean;
  /** It begins no sooner, by the host's clock, and the runs that are due before it go first; absent: at once, or begun. */
  notBefore?: number;
  /** As in NewRun; shown as it is. */
  kwargs?: Record<string, unknown>;
  /** The caller waits for its end: it may begin within the workflow task that accepts it. Absent once that is over. */
  isShort?: boolean;
}

/** A run as its thread keeps it: its ticket, and what became of it. */
export interface StoredRun extends Omit<
  RunTicket,
  'request' | 'isResume' | 'checkpoint' | 'idempotency'
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
