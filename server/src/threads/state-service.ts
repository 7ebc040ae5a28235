import type { CheckpointTarget, EnginePort, HistoryQuery } from '../engine/port.ts';
import type { ThreadId } from '../model/ids.ts';
import type { Principal } from '../model/principal.ts';
import type { CheckpointPlace, HistoryEntry, StateSnapshot } from '../model/thread.ts';
import type { Operation, PolicyPort } from '../policy/port.ts';
import { requirePermission } from '../policy/require-permission.ts';
import { stateResource } from '../policy/resources.ts';

export type { CheckpointTarget, HistoryQuery };

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
}

/** Makes the service over its ports. */
export function createStateService(ports: {
  engine: EnginePort;
  policy: PolicyPort;
}): StateService {
  const { engine, policy } = ports;

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
  };
}
