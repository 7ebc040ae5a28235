import type { AgentId, RunUuid, ThreadId } from '../ids.ts';
import { isObject, type JsonText } from '../json.ts';

/** The sandbox and the resource usage of a run's last attempt, known only to the process that ran it. */
export interface RunSandbox {
  /** `none`: a plain process. */
  readonly kind: 'docker' | 'gvisor' | 'none';
  /** Other runs may have been in the same guest, before or at the same time. */
  readonly isShared: boolean;
  /** Of the guest; limits that are not enforced are absent, and all of them for a plain process. */
  readonly limits?: GuestAllowance;
  /** Of the guest with all its processes, while the run ran. Values that the system does not report are absent. */
  readonly used: {
    /** The highest measured value. */
    readonly memoryBytes?: number;
    readonly cpuSeconds?: number;
  };
}

/** The limits of a guest in a sandbox. Absent: as much as the machine has. */
export interface GuestAllowance {
  /** Processors, for example 0.5. */
  readonly cpus?: number;
  readonly memoryBytes?: number;
  /** Processes and threads together. */
  readonly pids: number;
  readonly openFiles: number;
  /** The size of its `/tmp`. */
  readonly tmpBytes: number;
}

/** Spec: States and transitions, Run status values. */
export type RunStatus =
  'pending' | 'running' | 'completed' | 'interrupted' | 'error' | 'cancelling' | 'cancelled';

/** Spec: Resources, Run, `last_failure`. */
export type RunFailure = 'CRASH' | 'INFRA' | 'CAN';

/** Why a run ended in `error` (decisions: "run `error` field"). */
export interface RunError {
  code: string;
  message: string;
  type?: string;
  node?: string;
  traceback?: string;
}

/** LangGraph's durability modes: when a checkpoint must be safe before the next step runs. */
export type Durability = 'async' | 'sync' | 'exit';

/** Decisions: "second run while one is active". Without a strategy the run is enqueued. */
export type MultitaskStrategy = 'reject' | 'interrupt' | 'rollback';

/** Decisions: "which chunks". The guest makes all but `lifecycle`, which the host makes. */
export type StreamMode =
  'values' | 'updates' | 'messages' | 'custom' | 'tasks' | 'calls' | 'lifecycle' | CompatStreamMode;

/** LangGraph's own, offered only to clients of its server. */
export type CompatStreamMode = 'checkpoints' | 'debug' | 'events';

/** What a run starts from. `proceed` continues from the head checkpoint (input null). */
export type RunStart =
  { kind: 'input'; json: JsonText } | { kind: 'command'; json: JsonText } | { kind: 'proceed' };

/** What is known of a run from its creation on and never changes. */
export interface RunFacts {
  runUuid: string;
  agentId: string;
  /** Milliseconds, the clock of the host that accepted the run. */
  createdAt: number;
  metadata: Record<string, unknown>;
  /** Of the agent's code when the run was created: a git commit or a content hash. Absent: unknown. */
  agentVersion?: string;
}

/** The facts of a run, to be passed on. */
export function runFacts<R extends RunFacts>(run: R): Pick<R, keyof RunFacts> {
  const { runUuid, agentId, createdAt, metadata, agentVersion } = run;
  const facts: RunFacts = { runUuid, agentId, createdAt, metadata };
  if (agentVersion !== undefined) facts.agentVersion = agentVersion;
  return facts;
}

/** A run as a client asked for it; nothing is derived. */
export interface NewRun {
  runUuid: RunUuid;
  agentId: AgentId;
  start: RunStart;
  /** The client's `config` object, passed through to the agent. */
  config: Record<string, unknown>;
  /** The client's `context`, a JSON object as sent; absent: none. Not in the request: the thread keeps it. */
  context?: JsonText;
  metadata: Record<string, unknown>;
  /** Claims of the creating principal, read-only for the agent under `configurable.principal`. */
  principal: Record<string, unknown>;
  streamModes: StreamMode[];
  streamSubgraphs: boolean;
  interruptBefore: string[];
  interruptAfter: string[];
  durability: Durability;
  /** Time travel: the checkpoint to run from, instead of the head. */
  checkpoint?: { ns: string; id: string };
  /** How long the run is delayed; absent: not. Not in the request: the thread keeps the timestamp. */
  afterMs?: number;
  /** Absent: enqueue. */
  multitaskStrategy?: MultitaskStrategy;
  /** What a client of LangGraph Server reads back of its request: small, and without input. Absent: nothing. */
  kwargs?: Record<string, unknown>;
  /** The version of the agent's code, when known. */
  agentVersion?: string;
  /** The run's parent in a trace (W3C). Absent where nothing is traced. */
  traceparent?: string;
}

/** What of a run is packed into its request, which lasts as long as the run has not settled. */
export type PackedRun = Omit<NewRun, 'context' | 'afterMs' | 'kwargs'>;

/** A run as it is reported. Timestamps are milliseconds since the epoch. */
export interface RunView extends RunFacts {
  threadId: ThreadId;
  runUuid: RunUuid;
  agentId: AgentId;
  status: RunStatus;
  updatedAt: number;
  /** Absent until the run completed or was interrupted, and once shed. */
  output?: JsonText;
  /** The context it was created with or took from the run it continues; only when a run is read by itself. */
  context?: JsonText;
  error?: RunError;
  /** Present only once the run was restarted; 1-indexed. */
  attempt?: number;
  lastFailure?: RunFailure;
  maxAttempts: number;
  /** Present only while the run is queued behind others on its thread; 1 is next. */
  queuePosition?: number;
  /** As in NewRun. */
  kwargs?: Record<string, unknown>;
  /** Absent: enqueue. */
  multitaskStrategy?: MultitaskStrategy;
  /** Where it ran, while this process keeps it; only of a run that is read by itself. */
  sandbox?: RunSandbox;
}

/** The client's values under `configurable`, without the checkpoint references, which the run sets itself. */
export function configurableOf(config: Record<string, unknown>): Record<string, unknown> {
  const { configurable } = config;
  if (!isObject(configurable)) return {};
  const {
    thread_id: _,
    checkpoint_id: __,
    checkpoint_ns: ___,
    checkpoint_map: ____,
    ...rest
  } = configurable;
  return rest;
}

/** True for statuses that a run does not leave by itself. */
export function isSettled(status: RunStatus): boolean {
  return status !== 'pending' && status !== 'running' && status !== 'cancelling';
}
