import type {
  CreationMark,
  EnginePort,
  ThreadPage,
  ThreadSearch as EngineSearch,
} from '../engine/port.ts';
import { isServiceError } from '../errors/service-error.ts';
import type { Idempotency } from '../model/idempotency.ts';
import type { ThreadId } from '../model/ids.ts';
import type { Principal } from '../model/principal.ts';
import type { StateSnapshot, ThreadView } from '../model/thread.ts';
import type { Operation, PolicyPort } from '../policy/port.ts';
import { requirePermission } from '../policy/require-permission.ts';
import { threadResource } from '../policy/resources.ts';
import { createOnce, isRemembered } from './create-once.ts';
import { metadataStrings } from './metadata-strings.ts';
import { newThreadId } from './new-ids.ts';

/** A search as requests make it. */
export type ThreadSearch = Omit<EngineSearch, 'isVisible'>;

export interface NewThread {
  threadId?: ThreadId;
  metadata: Record<string, unknown>;
  ifExists: 'raise' | 'do_nothing';
  /** The same creation again answers the same thread. */
  idempotency?: Idempotency | undefined;
}

/** Threads as requests use them (spec: Endpoints, Threads). */
export interface ThreadService {
  create(principal: Principal, thread: NewThread): Promise<{ thread: ThreadView; isNew: boolean }>;
  read(principal: Principal, threadId: ThreadId): Promise<ThreadView & { state: StateSnapshot }>;
  /** A new thread with the metadata and one checkpoint of another: its head, or the one that is named. */
  copy(
    principal: Principal,
    source: ThreadId,
    copy: { threadId?: ThreadId; checkpointId?: string; idempotency?: Idempotency | undefined },
  ): Promise<ThreadView>;
  patch(
    principal: Principal,
    threadId: ThreadId,
    metadata: Record<string, unknown>,
  ): Promise<ThreadView>;
  delete(principal: Principal, threadId: ThreadId): Promise<void>;
  /** Threads that the policy denies to read are left out, also from the total. */
  search(principal: Principal, search: ThreadSearch): Promise<ThreadPage>;
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

  /** Makes a thread, or answers the one that the same request has made before. */
  async function createThread(
    { threadId, idempotency }: { threadId?: ThreadId; idempotency?: Idempotency | undefined },
    make: (threadId: ThreadId, mark?: CreationMark) => Promise<ThreadView>,
  ): Promise<ThreadView> {
    if (!idempotency) return make(threadId ?? newThreadId());
    if (!threadId) {
      return createOnce(engine, idempotency, {
        create: (ids, mark) => make(ids.threadId, mark),
        attach: (ids) => engine.readThread(ids.threadId),
      });
    }
    // The client names the thread: its id cannot be made of the key, so the key is kept beside it.
    const mark = await createOnce(engine, idempotency, {
      create: async (ids, left) => (await engine.leaveMark(ids.threadId, left), left),
      attach: async (_ids, left) => left,
    });
    try {
      return await make(threadId, mark);
    } catch (error) {
      if (!isServiceError(error) || error.code !== 'thread_exists') throw error;
      const known = await engine.readMark(threadId);
      if (known?.key !== mark.key || !isRemembered(known)) throw error;
      return engine.readThread(threadId);
    }
  }

  async function isVisible(
    principal: Principal,
    { threadId, owner }: ThreadView,
  ): Promise<boolean> {
    const resource = threadResource(threadId, owner);
    try {
      return await policy.isPermitted({ principal, operation: 'service:thread:read', resource });
    } catch {
      return false; // an error while deciding is a denial
    }
  }

  return {
    async create(principal, thread) {
      const metadata = metadataStrings(thread.metadata);
      const make = async (threadId: ThreadId, mark?: CreationMark): Promise<ThreadView> => {
        await permit(principal, 'service:thread:create', threadId);
        return engine.createThread(threadId, metadata, {
          owner: principal.sub,
          ...(mark && { mark }),
        });
      };
      try {
        return { thread: await createThread(thread, make), isNew: true };
      } catch (error) {
        const isTaken = isServiceError(error) && error.code === 'thread_exists';
        if (!isTaken || thread.ifExists === 'raise' || !thread.threadId) throw error;
      }
      await permit(principal, 'service:thread:read', thread.threadId);
      return { thread: await engine.readThread(thread.threadId), isNew: false };
    },

    async read(principal, threadId) {
      await permit(principal, 'service:thread:read', threadId);
      return engine.readThread(threadId);
    },

    async copy(principal, source, { checkpointId, ...copy }) {
      await permit(principal, 'service:thread:copy', source);
      return createThread(copy, async (target, mark) => {
        await permit(principal, 'service:thread:create', target);
        return engine.copyThread(source, target, {
          owner: principal.sub,
          ...(checkpointId !== undefined && { checkpointId }),
          ...(mark && { mark }),
        });
      });
    },

    async patch(principal, threadId, metadata) {
      await permit(principal, 'service:thread:update', threadId);
      return engine.patchMetadata(threadId, metadataStrings(metadata));
    },

    async delete(principal, threadId) {
      await permit(principal, 'service:thread:delete', threadId);
      await engine.deleteThread(threadId);
    },

    async search(principal, search) {
      const resource = threadResource('*');
      await requirePermission(policy, {
        principal,
        operation: 'service:thread:search',
        resource,
      });
      if (policy.permitsEverything === true) return engine.searchThreads(search);
      return engine.searchThreads({
        ...search,
        isVisible: (thread) => isVisible(principal, thread),
      });
    },
  };
}
