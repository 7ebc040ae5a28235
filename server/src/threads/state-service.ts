import type { Engine } from '../engine/engine.ts';
import type { CheckpointTarget, HistoryQuery } from '../engine/requests.ts';
import type { StateQuestion } from '../model/checkpoint/state-values.ts';
import type { StoreSize } from '../model/checkpoint/store-size.ts';
import type { AgentId, ThreadId } from '../model/ids.ts';
import type { JsonText } from '../model/json.ts';
import type { Principal } from '../model/principal.ts';
import type { CheckpointRef, HistoryEntry, StateSnapshot } from '../model/thread/thread.ts';
import type { Operation, PolicyPort } from '../policy/port.ts';
import { requirePermissionInThread } from '../policy/require-permission.ts';
import { stateResource } from '../policy/resources.ts';
import type { AgentsPort } from './ports.ts';
import type { HistoryRecorderPort } from './run-service.ts';

export type { CheckpointTarget, HistoryQuery };

/** Changes a thread's state between its runs. Rejects with ServiceErrors. */
export interface StateUpdatePort {
  /**
   * Resolves with the state after the change, which is then durable. `thread_busy`, `thread_stopped`, `invalid_request`
   * when the agent's state does not accept the values, `checkpoint_too_large`, `guest_unavailable`.
   */
  update(
    change: {
      threadId: ThreadId;
      /** For a thread that no agent has written to. */
      defaultAgentId: AgentId;
      /** The metadata key of the thread that names its agent until an agent has written to it. */
      agentKey?: string;
      /** A JSON object by channel; with `plain` anything that LangGraph's update_state accepts. */
      values: JsonText;
      plain?: PlainUpdate;
      principal: Record<string, unknown>;
    },
    signal: AbortSignal,
  ): Promise<{ values: JsonText; checkpoint?: CheckpointRef }>;
}

/** LangGraph's own update_state: reducers apply, and `asNode` determines the next nodes. */
export interface PlainUpdate {
  asNode?: string;
  ns: string;
  /** Absent: the head of the namespace. */
  checkpointId?: string;
  /** LangGraph's bulk_update_state instead, one checkpoint for each step: a list of lists of `{values, as_node}`. */
  supersteps?: JsonText;
}

/** Gets a thread's next nodes from its agent. Rejects with ServiceErrors. */
export interface StateReadPort {
  /** Each a JSON object. `thread_not_found`, `agent_not_loaded`, `guest_unavailable`, `state_too_large`. */
  describe(
    question: StateQuestion & {
      threadId: ThreadId;
      defaultAgentId: AgentId;
      agentKey?: string;
      principal: Record<string, unknown>;
    },
    signal: AbortSignal,
  ): AsyncIterable<JsonText>;
}

/** What the service needs. */
export interface StateServicePorts {
  engine: Engine;
  policy: PolicyPort;
  agents: AgentsPort;
  stateUpdates: StateUpdatePort;
  stateReads: StateReadPort;
  history?: { recorder: Pick<HistoryRecorderPort, 'threadSeen'> } | undefined;
}

/** State and checkpoints as requests use them (spec: Endpoints, State). */
export class StateService {
  readonly #ports: StateServicePorts;

  constructor(ports: StateServicePorts) {
    this.#ports = ports;
  }

  /** The head of the root namespace. */
  async read(principal: Principal, threadId: ThreadId): Promise<StateSnapshot> {
    await this.#permit(principal, 'service:state:read', threadId);
    return this.#ports.engine.states.head(threadId);
  }

  /** One checkpoint, or the head of a namespace. */
  async readCheckpoint(
    principal: Principal,
    threadId: ThreadId,
    target: CheckpointTarget,
  ): Promise<StateSnapshot & { checkpoint: CheckpointRef }> {
    await this.#permit(principal, 'service:state:read', threadId);
    return this.#ports.engine.states.checkpoint(threadId, target);
  }

  /** What the checkpoints of a thread take. */
  async size(principal: Principal, threadId: ThreadId): Promise<StoreSize> {
    await this.#permit(principal, 'service:state:read', threadId);
    return this.#ports.engine.states.size(threadId);
  }

  /** Newest first, read lazily. */
  async history(
    principal: Principal,
    threadId: ThreadId,
    query: HistoryQuery,
  ): Promise<AsyncIterable<HistoryEntry>> {
    await this.#permit(principal, 'service:state:history', threadId);
    return this.#ports.engine.states.history(threadId, query);
  }

  /** Sets values; resolves with all of them after the change. */
  async update(
    principal: Principal,
    threadId: ThreadId,
    values: JsonText,
    signal: AbortSignal,
  ): Promise<JsonText> {
    await this.#permit(principal, 'service:state:update', threadId);
    const { agentId: defaultAgentId } = this.#ports.agents.resolve(undefined);
    const change = { threadId, defaultAgentId, values, principal: principal.claims };
    return (await this.#changed(change, signal)).values;
  }

  /** LangGraph's own update_state; resolves with the checkpoint that it made. */
  async updatePlain(
    principal: Principal,
    threadId: ThreadId,
    { values, agentKey, ...plain }: PlainUpdate & { values: JsonText; agentKey: string },
    signal: AbortSignal,
  ): Promise<CheckpointRef | undefined> {
    await this.#permit(principal, 'service:state:update', threadId);
    const { agentId: defaultAgentId } = this.#ports.agents.resolve(undefined);
    const by = { defaultAgentId, agentKey, principal: principal.claims };
    return (await this.#changed({ threadId, values, plain, ...by }, signal)).checkpoint;
  }

  /** States with the next nodes and their tasks, `{values, next, tasks, checkpoint, …}` each. */
  async describe(
    principal: Principal,
    threadId: ThreadId,
    question: StateQuestion & { agentKey: string },
    signal: AbortSignal,
  ): Promise<AsyncIterable<JsonText>> {
    const operation = question.history ? 'service:state:history' : 'service:state:read';
    await this.#permit(principal, operation, threadId);
    const { agentId: defaultAgentId } = this.#ports.agents.resolve(undefined);
    const asked = { ...question, threadId, defaultAgentId, principal: principal.claims };
    return this.#ports.stateReads.describe(asked, signal);
  }

  async #changed(
    ...change: Parameters<StateUpdatePort['update']>
  ): ReturnType<StateUpdatePort['update']> {
    const changed = await this.#ports.stateUpdates.update(...change);
    this.#ports.history?.recorder.threadSeen(change[0].threadId, Date.now());
    return changed;
  }

  async #permit(principal: Principal, operation: Operation, threadId: ThreadId): Promise<void> {
    const resource = stateResource(threadId);
    await requirePermissionInThread(this.#ports, threadId, { principal, operation, resource });
  }
}
