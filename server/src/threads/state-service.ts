import type { CheckpointTarget, EnginePort, HistoryQuery } from '../engine/port.ts';
import type { AgentId, ThreadId } from '../model/ids.ts';
import type { JsonText } from '../model/json-text.ts';
import type { Principal } from '../model/principal.ts';
import type { CheckpointPlace, HistoryEntry, StateSnapshot } from '../model/thread.ts';
import type { Operation, PolicyPort } from '../policy/port.ts';
import { requirePermission } from '../policy/require-permission.ts';
import { stateResource } from '../policy/resources.ts';
import type { AgentsPort } from './agents-port.ts';

export type { CheckpointTarget, HistoryQuery };

/** Changes a thread's state between its runs. Rejects with ServiceErrors. */
export interface StateUpdatePort {
  /**
   * Resolves with the state after the change, which is durable then. `thread_busy`, `thread_stopped`,
   * `invalid_request` when the agent's state does not take the values, `checkpoint_too_large`, `guest_unavailable`.
   */
  update(
    change: {
      threadId: ThreadId;
      /** For a thread that no agent has written to. */
      defaultAgentId: AgentId;
      /** A JSON object by channel. */
      values: JsonText;
      principal: Record<string, unknown>;
    },
    signal: AbortSignal,
  ): Promise<{ values: JsonText }>;
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
  /** Newest first, read as it is taken. */
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
}

/** Makes the service over its ports. */
export function createStateService(ports: {
  engine: EnginePort;
  policy: PolicyPort;
  agents: AgentsPort;
  stateUpdates: StateUpdatePort;
}): StateService {
  const { engine, policy, agents, stateUpdates } = ports;

  async function permit(
    principal: Principal,
    operation: Operation,
    threadId: ThreadId,
  ): Promise<void> {
    const resource = stateResource(threadId);
    await requirePermission(policy, { principal, operation, resource });
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
  };
}
