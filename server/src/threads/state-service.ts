import type { CheckpointTarget, EnginePort, HistoryQuery } from '../engine/port.ts';
import type { StateQuestion } from '../model/checkpoint/state-values.ts';
import type { AgentId, ThreadId } from '../model/ids.ts';
import type { JsonText } from '../model/json.ts';
import type { Principal } from '../model/principal.ts';
import type { CheckpointPlace, HistoryEntry, StateSnapshot } from '../model/thread/thread.ts';
import type { Operation, PolicyPort } from '../policy/port.ts';
import { requirePermissionInThread } from '../policy/require-permission.ts';
import { stateResource } from '../policy/resources.ts';
import type { AgentsPort } from './agents-port.ts';

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
  ): Promise<{ values: JsonText; checkpoint?: CheckpointPlace }>;
}

/** LangGraph's own update_state: reducers apply, and `asNode` determines the next nodes. */
export interface PlainUpdate {
  asNode?: string;
  ns: string;
  /** Absent: the head of the namespace. */
  checkpointId?: string;
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

/** State and checkpoints as requests use them (spec: Endpoints, State). */
export interface StateService {
  /** The head of the root namespace. */
  read(principal: Principal, threadId: ThreadId): Promise<StateSnapshot>;
  /** One checkpoint, or the head of a namespace. */
  readCheckpoint(
    principal: Principal,
    threadId: ThreadId,
    target: CheckpointTarget,
  ): Promise<StateSnapshot & { checkpoint: CheckpointPlace }>;
  /** Newest first, read lazily. */
  history(
    principal: Principal,
    threadId: ThreadId,
    query: HistoryQuery,
  ): Promise<AsyncIterable<HistoryEntry>>;
  /** Sets values; resolves with all of them after the change. */
  update(
    principal: Principal,
    threadId: ThreadId,
    values: JsonText,
    signal: AbortSignal,
  ): Promise<JsonText>;
  /** LangGraph's own update_state; resolves with the checkpoint that it made. */
  updatePlain(
    principal: Principal,
    threadId: ThreadId,
    change: PlainUpdate & { values: JsonText; agentKey: string },
    signal: AbortSignal,
  ): Promise<CheckpointPlace | undefined>;
  /** States with the next nodes and their tasks, `{values, next, tasks, checkpoint, …}` each. */
  describe(
    principal: Principal,
    threadId: ThreadId,
    question: StateQuestion & { agentKey: string },
    signal: AbortSignal,
  ): Promise<AsyncIterable<JsonText>>;
}

/** Makes the service over its ports. */
export function createStateService(ports: {
  engine: EnginePort;
  policy: PolicyPort;
  agents: AgentsPort;
  stateUpdates: StateUpdatePort;
  stateReads: StateReadPort;
}): StateService {
  const { engine, agents, stateUpdates, stateReads } = ports;

  async function permit(
    principal: Principal,
    operation: Operation,
    threadId: ThreadId,
  ): Promise<void> {
    const resource = stateResource(threadId);
    await requirePermissionInThread(ports, threadId, { principal, operation, resource });
  }

  return {
    async read(principal, threadId) {
      await permit(principal, 'service:state:read', threadId);
      return engine.readState(threadId);
    },

    async readCheckpoint(principal, threadId, target) {
      await permit(principal, 'service:state:read', threadId);
      return engine.readCheckpoint(threadId, target);
    },

    async history(principal, threadId, query) {
      await permit(principal, 'service:state:history', threadId);
      return engine.readHistory(threadId, query);
    },

    async update(principal, threadId, values, signal) {
      await permit(principal, 'service:state:update', threadId);
      const { agentId: defaultAgentId } = agents.resolve(undefined);
      const change = { threadId, defaultAgentId, values, principal: principal.claims };
      return (await stateUpdates.update(change, signal)).values;
    },

    async updatePlain(principal, threadId, { values, agentKey, ...plain }, signal) {
      await permit(principal, 'service:state:update', threadId);
      const { agentId: defaultAgentId } = agents.resolve(undefined);
      const by = { defaultAgentId, agentKey, principal: principal.claims };
      return (await stateUpdates.update({ threadId, values, plain, ...by }, signal)).checkpoint;
    },

    async describe(principal, threadId, question, signal) {
      const operation = question.history ? 'service:state:history' : 'service:state:read';
      await permit(principal, operation, threadId);
      const { agentId: defaultAgentId } = agents.resolve(undefined);
      const asked = { ...question, threadId, defaultAgentId, principal: principal.claims };
      return stateReads.describe(asked, signal);
    },
  };
}
