import type { EnginePort } from '../engine/port.ts';
import type { ThreadId } from '../model/ids.ts';
import type { Principal } from '../model/principal.ts';
import type { HistoryEntry, StateSnapshot } from '../model/thread.ts';
import type { PolicyPort } from '../policy/port.ts';
import { requirePermission } from '../policy/require-permission.ts';
import { stateResource } from '../policy/resources.ts';

/** State and checkpoints as requests use them (spec: Endpoints, State). */
export interface StateService {
  /** The head of the root namespace. */
  read(principal: Principal, threadId: ThreadId): Promise<StateSnapshot>;
  history(
    principal: Principal,
    threadId: ThreadId,
    query: { limit: number },
  ): Promise<HistoryEntry[]>;
}

/** Makes the service over its ports. */
export function createStateService(ports: {
  engine: EnginePort;
  policy: PolicyPort;
}): StateService {
  const { engine, policy } = ports;
  return {
    async read(principal, threadId) {
      const resource = stateResource(threadId);
      await requirePermission(policy, { principal, operation: 'service:state:read', resource });
      return engine.readState(threadId);
    },

    async history(principal, threadId, query) {
      const resource = stateResource(threadId);
      await requirePermission(policy, { principal, operation: 'service:state:history', resource });
      return engine.readHistory(threadId, query);
    },
  };
}
