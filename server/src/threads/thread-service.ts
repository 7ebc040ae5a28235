import type { EnginePort } from '../engine/port.ts';
import { isServiceError } from '../errors/service-error.ts';
import type { ThreadId } from '../model/ids.ts';
import type { Principal } from '../model/principal.ts';
import type { StateSnapshot, ThreadView } from '../model/thread.ts';
import type { Operation, PolicyPort } from '../policy/port.ts';
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
  /** A new thread with the metadata and one checkpoint of another: its head, or the one that is named. */
  copy(
    principal: Principal,
    source: ThreadId,
    copy: { threadId?: ThreadId; checkpointId?: string },
  ): Promise<ThreadView>;
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

  async function permit(
    principal: Principal,
    operation: Operation,
    threadId: ThreadId,
  ): Promise<void> {
    const resource = threadResource(threadId);
    await requirePermission(policy, { principal, operation, resource });
  }

  return {
    async create(principal, thread) {
      const threadId = thread.threadId ?? newThreadId();
      await permit(principal, 'service:thread:create', threadId);
      try {
        const created = await engine.createThread(threadId, metadataStrings(thread.metadata));
        return { thread: created, isNew: true };
      } catch (error) {
        const isTaken = isServiceError(error) && error.code === 'thread_exists';
        if (!isTaken || thread.ifExists === 'raise') throw error;
      }
      await permit(principal, 'service:thread:read', threadId);
      return { thread: await engine.readThread(threadId), isNew: false };
    },

    async read(principal, threadId) {
      await permit(principal, 'service:thread:read', threadId);
      return engine.readThread(threadId);
    },

    async copy(principal, source, { threadId, checkpointId }) {
      const target = threadId ?? newThreadId();
      await permit(principal, 'service:thread:copy', source);
      await permit(principal, 'service:thread:create', target);
      return engine.copyThread(source, target, checkpointId);
    },

    async patch(principal, threadId, metadata) {
      await permit(principal, 'service:thread:update', threadId);
      return engine.patchMetadata(threadId, metadataStrings(metadata));
    },

    async delete(principal, threadId) {
      await permit(principal, 'service:thread:delete', threadId);
      await engine.deleteThread(threadId);
    },
  };
}
