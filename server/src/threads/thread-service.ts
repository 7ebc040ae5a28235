import type { EnginePort } from '../engine/port.ts';
import { isServiceError } from '../errors/service-error.ts';
import type { ThreadId } from '../model/ids.ts';
import type { Principal } from '../model/principal.ts';
import type { StateSnapshot, ThreadView } from '../model/thread.ts';
import type { PolicyPort } from '../policy/port.ts';
import { requirePermission } from '../policy/require-permission.ts';
import { threadResource } from '../policy/resources.ts';
import { metadataStrings } from './metadata-strings.ts';
import { newThreadId } from './new-ids.ts';

export interface NewThread {
  threadId?: ThreadId;
  metadata: Record<string, unknown>;
  ifExists: 'raise' | 'do_nothing';
}

/** Threads as requests use them (spec: Endpoints, Threads). */
export interface ThreadService {
  create(principal: Principal, thread: NewThread): Promise<{ thread: ThreadView; isNew: boolean }>;
  read(principal: Principal, threadId: ThreadId): Promise<ThreadView & { state: StateSnapshot }>;
  patch(
    principal: Principal,
    threadId: ThreadId,
    metadata: Record<string, unknown>,
  ): Promise<ThreadView>;
  delete(principal: Principal, threadId: ThreadId): Promise<void>;
}

/** Makes the service over its ports. */
export function createThreadService(ports: {
  engine: EnginePort;
  policy: PolicyPort;
}): ThreadService {
  const { engine, policy } = ports;
  return {
    async create(principal, thread) {
      const threadId = thread.threadId ?? newThreadId();
      const resource = threadResource(threadId);
      await requirePermission(policy, { principal, operation: 'service:thread:create', resource });
      try {
        const created = await engine.createThread(threadId, metadataStrings(thread.metadata));
        return { thread: created, isNew: true };
      } catch (error) {
        const isTaken = isServiceError(error) && error.code === 'thread_exists';
        if (!isTaken || thread.ifExists === 'raise') throw error;
      }
      await requirePermission(policy, { principal, operation: 'service:thread:read', resource });
      return { thread: await engine.readThread(threadId), isNew: false };
    },

    async read(principal, threadId) {
      const resource = threadResource(threadId);
      await requirePermission(policy, { principal, operation: 'service:thread:read', resource });
      return engine.readThread(threadId);
    },

    async patch(principal, threadId, metadata) {
      const resource = threadResource(threadId);
      await requirePermission(policy, { principal, operation: 'service:thread:update', resource });
      return engine.patchMetadata(threadId, metadataStrings(metadata));
    },

    async delete(principal, threadId) {
      const resource = threadResource(threadId);
      await requirePermission(policy, { principal, operation: 'service:thread:delete', resource });
      await engine.deleteThread(threadId);
    },
  };
}
