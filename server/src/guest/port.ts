/*
 * Guests: the processes that run agent code, which is not trusted. This file is what the service asks of them. `pool/`
 * assigns runs to guests, `process/` starts and ends one, `wire/` speaks the guest protocol, `sandbox/` and `egress/`
 * confine it, `packages/` installs what agents need, `debug/` attaches debuggers.
 */
import type { Checkpoint, CheckpointOp } from '../model/checkpoint/checkpoint.ts';
import type { AgentDescription } from '../model/agent-description.ts';
import type { AgentId, RunUuid, ThreadId } from '../model/ids.ts';
import type { JsonText } from '../model/json.ts';
import type { NewRun, RunError } from '../model/run/run.ts';

/** What the guest room needs of a logger; a pino logger is one. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** A chunk of the graph's stream, as the guest produced it. */
export interface GuestChunk {
  mode: string;
  ns: string;
  data: JsonText;
}

/** What a guest asks for when it lists checkpoints. Newest first. */
export interface CheckpointQuery {
  /** Absent: every thread of the token (only conformance tokens may). */
  threadId?: string;
  /** Absent: every namespace. */
  ns?: string;
  id?: string;
  beforeId?: string;
  limit?: number;
  /** Equality on metadata keys. */
  filter?: Record<string, unknown>;
  /** Only checkpoints that the run has saved, or to which it has added pending writes. */
  isOwn?: boolean;
}

/**
 * A guest's access to the checkpoints of its run. The guest room calls it in the order of the guest's
 * writes; the code that wires the rooms passes one with every invocation.
 */
export interface CheckpointSession {
  /** The root namespace's head, sent along with the invocation. */
  head(): Promise<Checkpoint | undefined>;
  /**
   * Accepts one write. Resolves when it is durable; rejects with a ServiceError when it is refused.
   * The caller awaits it only for synchronous writes, and otherwise watches for the rejection.
   */
  write(op: CheckpointOp, threadId: string): Promise<void>;
  load(threadId: string, ns: string, id: string | undefined): Promise<Checkpoint | undefined>;
  list(query: CheckpointQuery): AsyncIterable<{ threadId: string; checkpoint: Checkpoint }>;
  deleteThread(threadId: string): Promise<void>;
}

/** One attempt of a run, ready for a guest. */
export interface Invocation extends Pick<
  NewRun,
  | 'runUuid'
  | 'agentId'
  | 'start'
  | 'config'
  | 'streamSubgraphs'
  | 'interruptBefore'
  | 'interruptAfter'
  | 'durability'
> {
  threadId: ThreadId;
  attempt: number;
  /** The input of the graph's context, a JSON object; the guest leaves out keys that its schema does not name. */
  context: JsonText;
  streamModes: string[];
  /** Needs its own guest: set for attempts after a crash, or after a guest that gave no sign of life. */
  isIsolated: boolean;
  checkpoints: CheckpointSession;
  onChunk(chunk: GuestChunk): void;
}

/** How an invocation ended. It resolves only after every write of the guest has been accepted. */
export type InvocationEnd =
  | { kind: 'completed'; output: JsonText }
  | { kind: 'interrupted'; output: JsonText; interrupts: JsonText }
  | { kind: 'error'; error: RunError }
  | { kind: 'cancelled' }
  /** The guest process has exited. */
  | { kind: 'crash'; message: string }
  /** The guest could not start, or the channel to it was lost; or it gave no sign of life and was killed. */
  | { kind: 'infra'; message: string; wasStuck?: true };

/** A change of a thread's state from outside, between its runs. */
export interface StateUpdate {
  threadId: ThreadId;
  agentId: AgentId;
  /** The values to set, a JSON object by channel. */
  values: JsonText;
  /** As in an Invocation; `configurable.checkpoint_id` writes upon an older checkpoint. */
  config: Record<string, unknown>;
  /** The node that counts as the writer; absent: one that leaves what runs next unchanged. */
  asNode?: string;
  /** LangGraph's own update_state: reducers apply, and `asNode` decides what runs next. */
  plain?: boolean;
  /** With `plain`: LangGraph's bulk_update_state, a JSON list of lists of `{values, as_node}`, instead of the values. */
  supersteps?: JsonText;
  /** What a function that makes the graph finds under `configurable`, too. */
  factoryConfigurable?: Record<string, unknown>;
  checkpoints: CheckpointSession;
}

/** A read of the states of a thread. */
export interface StateRead {
  threadId: ThreadId;
  agentId: AgentId;
  /** As in a StateUpdate; `configurable` names the namespace and, for one state, the checkpoint. */
  config: Record<string, unknown>;
  /** Tasks with the states of their sub-graphs; only for one state. */
  subgraphs?: boolean;
  /** Absent: one state. Otherwise at most `limit` states of the namespace, newest first. */
  history?: { limit: number; beforeId?: string };
  /** Equality on metadata keys. */
  filter?: Record<string, unknown>;
  /** As in a StateUpdate. */
  factoryConfigurable?: Record<string, unknown>;
  checkpoints: CheckpointSession;
}

/** States in the format of LangGraph's own server, and whether the size of a message cut the list off. */
export interface ReadStates {
  states: JsonText[];
  isCut: boolean;
}

/** A call of an agent's chat model outside of its runs. */
export interface ModelCall {
  agentId: AgentId;
  threadId: ThreadId;
  /** Which of the agent's models: what the trace of the recorded call has. */
  name: string;
  model?: string;
  recordedParams: JsonText;
  /** What it is called with: a list, and an object. */
  messages: JsonText;
  params: JsonText;
}

/** What a model returned. */
export interface CalledModel {
  output: JsonText;
  usage?: JsonText;
  latencyMs: number;
  model?: string;
}

/** An agent as its guest describes it. */
export interface DescribedAgent extends AgentDescription {
  agentId: AgentId;
}

/** Which parts of an agent's description are wanted besides its error. */
export interface DescribeOptions {
  schemas?: boolean;
  graph?: boolean;
  /** Levels of sub-graphs that the graph expands; 0 by default. */
  graphDepth?: number;
}

/** A state after a change from outside. */
export interface UpdatedState {
  values: JsonText;
  /** Some node runs next from there. */
  hasNext: boolean;
}

/** The guests of this service. */
export interface GuestPort {
  /** Never rejects for what a guest does. Aborting the signal asks the run to stop ({kind: 'cancelled'}). */
  invoke(invocation: Invocation, signal: AbortSignal): Promise<InvocationEnd>;
  /**
   * Writes a new checkpoint with these values, and resolves with the state after it when the session reports every
   * write as durable. Decisions: "POST state". Rejects with a ServiceError: `invalid_request` with the message of the
   * agent's own exception, `checkpoint_too_large`, `agent_not_found`, or `guest_unavailable` when no guest did it.
   */
  updateState(update: StateUpdate, signal: AbortSignal): Promise<UpdatedState>;
  /**
   * The result of LangGraph's get_state: values, the nodes that run next and their tasks. It writes nothing. Rejects
   * with a ServiceError: `agent_not_loaded`, `agent_not_found`, `state_too_large`, or `guest_unavailable`.
   */
  readStates(read: StateRead, signal: AbortSignal): Promise<ReadStates>;
  /**
   * Calls the model object of an agent, beside its runs. Rejects with a ServiceError: `model_not_found`, `model_failed`
   * with the message of the model, `agent_not_loaded`, `agent_not_found`, `invalid_request`, `payload_too_large`, or
   * `guest_unavailable`.
   */
  callModel(call: ModelCall, signal: AbortSignal): Promise<CalledModel>;
  describe(signal: AbortSignal): Promise<DescribedAgent[]>;
  /**
   * One agent with the wanted parts. Rejects with a ServiceError: `agent_not_found`, or `guest_unavailable` when no
   * guest responds in time. Descriptions change only with a reload.
   */
  describeAgent(
    agentId: AgentId,
    wanted: DescribeOptions,
    signal: AbortSignal,
  ): Promise<DescribedAgent>;
  /** `ok` is false while no guest of some language is available, with the reason. */
  health(): { ok: boolean; reason?: string };
  /** New runs go to fresh guests from now on; runs in flight finish on their guests. */
  reload(): void;
  /** Process ids of the running guests, for status pages and tests. */
  pids(): number[];
  close(): Promise<void>;
}

/** The run, read or change of a thread's state on whose behalf an agent calls its host. */
export interface GuestCaller {
  threadId: ThreadId;
  agentId: AgentId;
  /** Absent outside of runs. */
  runUuid?: RunUuid;
  /** The config's `configurable.principal`. */
  principal: unknown;
}

/** The caller that a LangGraph config names. */
export function guestCallerOf(
  config: Record<string, unknown>,
  ids: Pick<GuestCaller, 'threadId' | 'agentId' | 'runUuid'>,
): GuestCaller {
  const { configurable } = config as { configurable?: { principal?: unknown } }; // a LangGraph config
  return { ...ids, principal: configurable?.principal };
}
