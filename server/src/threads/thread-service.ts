import type { Engine } from '../engine/engine.ts';
import type { CreationMark, ThreadPage, ThreadSearch as EngineSearch } from '../engine/requests.ts';
import { isServiceError } from '../errors/service-error.ts';
import type { HistoryReads } from '../history/port.ts';
import type { Idempotency } from '../model/thread/idempotency.ts';
import type { ThreadId } from '../model/ids.ts';
import type { Principal } from '../model/principal.ts';
import type { StateSnapshot, ThreadView } from '../model/thread/thread.ts';
import { pairsOf } from '../policy/metadata-filter.ts';
import type { Operation, Permission, PolicyPort } from '../policy/port.ts';
import {
  isAlsoPermitted,
  isMatch,
  requirePermission,
  requirePermissionInThread,
} from '../policy/require-permission.ts';
import { threadResource } from '../policy/resources.ts';
import { createOnce, isRemembered } from './create-once.ts';
import { givenMetadata, jsonKeysOf, metadataStrings } from './metadata-strings.ts';
import { type ActivityOrder, described, searchRecent } from './recent-threads.ts';
import { newThreadId } from './new-ids.ts';
import type { HistoryRecorderPort } from './run-service.ts';

/** A search as requests specify it. */
export type ThreadSearch = Omit<EngineSearch, 'isVisible'> & ActivityOrder;

export interface NewThread {
  threadId?: ThreadId;
  metadata: Record<string, unknown>;
  ifExists: 'raise' | 'do_nothing';
  /** What is no string in the metadata is remembered as such. */
  isTyped?: boolean;
  /** Checkpoints retained of each of its runs. Absent: as the service is configured. */
  checkpointHistory?: number | undefined;
  /** The same creation again returns the existing thread. */
  idempotency?: Idempotency | undefined;
}

/** What a copy is to have. */
export interface ThreadCopy extends Pick<
  NewThread,
  'threadId' | 'checkpointHistory' | 'idempotency'
> {
  checkpointId?: string;
  /** It gets the earlier checkpoints as well, and those of sub-graphs. */
  isWhole?: boolean;
}

/** What the service needs. */
export interface ThreadServicePorts {
  engine: Engine;
  policy: PolicyPort;
  history?: { recorder: HistoryRecorderPort; reads: HistoryReads } | undefined;
}

/** Threads as requests use them (spec: Endpoints, Threads). */
export class ThreadService {
  readonly #ports: ThreadServicePorts;

  constructor(ports: ThreadServicePorts) {
    this.#ports = ports;
  }

  async create(
    principal: Principal,
    thread: NewThread,
  ): Promise<{ thread: ThreadView; isNew: boolean }> {
    const ask: AskedThread = async (threadId) => {
      const metadata = await this.#permitNew(principal, threadId, thread);
      const { checkpointHistory } = thread;
      const jsonKeys = thread.isTyped === true ? jsonKeysOf(metadata) : undefined;
      const made = { owner: principal.sub, checkpointHistory, jsonKeys };
      const strings = metadataStrings(metadata);
      return (mark) =>
        this.#ports.engine.threads.create(threadId, strings, { ...made, ...(mark && { mark }) });
    };
    try {
      const made = await this.#createThread(principal, thread, ask);
      return { thread: made, isNew: true };
    } catch (error) {
      const { threadId, ifExists } = thread;
      const isTaken = isServiceError(error) && error.code === 'thread_exists';
      if (!isTaken || ifExists === 'raise' || !threadId) throw error;
      // A caller who may not read the existing thread gets `thread_exists`, because the id is taken.
      await this.#permit(principal, 'service:thread:read', threadId).catch((denied: unknown) => {
        throw isServiceError(denied) && denied.code === 'thread_not_found' ? error : denied;
      });
      return { thread: await this.#ports.engine.threads.read(threadId), isNew: false };
    }
  }

  async read(
    principal: Principal,
    threadId: ThreadId,
  ): Promise<ThreadView & { state: StateSnapshot }> {
    await this.#permit(principal, 'service:thread:read', threadId);
    const thread = await this.#ports.engine.threads.read(threadId);
    return { ...thread, ...(await described(this.#ports.history?.reads, [thread]))[0] };
  }

  /** A new thread with the metadata and one checkpoint of another: its head, or the named one. */
  async copy(
    principal: Principal,
    source: ThreadId,
    { checkpointId, isWhole, checkpointHistory, ...copy }: ThreadCopy,
  ): Promise<ThreadView> {
    await this.#permit(principal, 'service:thread:copy', source);
    return this.#createThread(principal, copy, async (target) => {
      // As in LangGraph's server, the copy has the metadata of its source, whatever a handler stamps on new threads.
      await this.#permitNew(principal, target, { metadata: {}, ifExists: 'raise' });
      return (mark) =>
        this.#ports.engine.threads.copy(source, target, {
          owner: principal.sub,
          checkpointHistory,
          ...(checkpointId !== undefined && { checkpointId }),
          ...(isWhole === true && { isWhole }),
          ...(mark && { mark }),
        });
    });
  }

  async patch(
    principal: Principal,
    threadId: ThreadId,
    metadata: Record<string, unknown>,
    { isTyped = false }: { isTyped?: boolean } = {},
  ): Promise<ThreadView> {
    const { given } = await this.#permit(principal, 'service:thread:update', threadId, {
      metadata,
    });
    const permitted = givenMetadata(given, metadata);
    const typed = isTyped ? { jsonKeys: jsonKeysOf(permitted) } : {};
    const thread = await this.#ports.engine.threads.patchMetadata(
      threadId,
      metadataStrings(permitted),
      typed,
    );
    this.#ports.history?.recorder.threadSeen(threadId, thread.updatedAt);
    return thread;
  }

  async delete(principal: Principal, threadId: ThreadId): Promise<void> {
    await this.#permit(principal, 'service:thread:delete', threadId);
    await this.#ports.engine.threads.delete(threadId);
    this.#ports.history?.recorder.threadDeleted(threadId);
  }

  /** Leaves out threads that the policy denies reading, also from the total. */
  async search(principal: Principal, search: ThreadSearch): Promise<ThreadPage> {
    const { metadata = {}, status, limit, offset = 0 } = search;
    const { filter, given } = await requirePermission(this.#ports.policy, {
      principal,
      operation: 'service:thread:search',
      resource: threadResource('*'),
      given: { metadata, values: {}, status: status ?? null, limit, offset },
    });
    if (this.#ports.policy.permitsEverything === true) return this.#find(search);
    const wanted = metadataStrings(givenMetadata(given, metadata));
    for (const [key, text] of Object.entries(metadataStrings(pairsOf(filter ?? {})))) {
      // A key cannot have two values, so nothing matches and the index is not queried.
      if (Object.hasOwn(wanted, key) && wanted[key] !== text) return { items: [], total: 0 };
      wanted[key] = text;
    }
    return this.#find({
      ...search,
      ...(Object.keys(wanted).length > 0 && { metadata: wanted }),
      isVisible: async (thread) =>
        isMatch(thread.metadata, filter) && (await this.#isVisible(principal, thread)),
    });
  }

  /** By activity or by text the history knows the order; the engine knows the rest of what is asked. */
  async #find(search: EngineSearch & ActivityOrder): Promise<ThreadPage> {
    const { engine, history } = this.#ports;
    const { text, isByActivity = text !== undefined, ...rest } = search;
    if (isByActivity) return searchRecent(engine, history?.reads, { ...rest, text });
    const page = await engine.threads.search(rest);
    return { ...page, items: await described(history?.reads, page.items) };
  }

  /** Requires a permission for an existing thread. */
  async #permit(
    principal: Principal,
    operation: Operation,
    threadId: ThreadId,
    given: Record<string, unknown> = {},
  ): Promise<Permission> {
    const resource = threadResource(threadId);
    return requirePermissionInThread(this.#ports, threadId, {
      principal,
      operation,
      resource,
      given,
    });
  }

  /** Requires the permission to create a thread; returns its metadata. */
  async #permitNew(
    principal: Principal,
    threadId: ThreadId,
    { metadata, ifExists }: Pick<NewThread, 'metadata' | 'ifExists'>,
  ): Promise<Record<string, unknown>> {
    const { given } = await requirePermission(this.#ports.policy, {
      principal,
      operation: 'service:thread:create',
      resource: threadResource(threadId, principal.sub),
      given: { thread_id: threadId, metadata, if_exists: ifExists },
    });
    return givenMetadata(given, metadata);
  }

  /** An existing thread of this key needs read permission: in another realm, the same name may be another user. */
  async #readMade(principal: Principal, threadId: ThreadId): Promise<ThreadView> {
    await this.#permit(principal, 'service:thread:read', threadId);
    return this.#ports.engine.threads.read(threadId);
  }

  /** Creates a thread, or returns the one that the same request created before. */
  async #createThread(
    principal: Principal,
    { threadId, idempotency }: { threadId?: ThreadId; idempotency?: Idempotency | undefined },
    ask: AskedThread,
  ): Promise<ThreadView> {
    if (!idempotency) return this.#recorded(await (await ask(threadId ?? newThreadId()))());
    if (!threadId) {
      return createOnce(this.#ports.engine, idempotency, {
        create: async (ids, mark) => this.#recorded(await (await ask(ids.threadId))(mark)),
        attach: (ids) => this.#readMade(principal, ids.threadId),
      });
    }
    // Before the key is stored: a denied request leaves nothing behind.
    const make = await ask(threadId);
    // The client names the thread, so its id cannot be derived from the key, and the key is stored separately.
    const mark = await createOnce(this.#ports.engine, idempotency, {
      create: async (ids, left) => (
        await this.#ports.engine.threads.reserveIdempotencyKey(ids.threadId, left),
        left
      ),
      attach: async (_ids, left) => left,
    });
    try {
      return this.#recorded(await make(mark));
    } catch (error) {
      if (!isServiceError(error) || error.code !== 'thread_exists') throw error;
      const known = await this.#ports.engine.threads.readMark(threadId);
      if (known?.key !== mark.key || !isRemembered(known)) throw error;
      return this.#readMade(principal, threadId);
    }
  }

  #recorded(thread: ThreadView): ThreadView {
    const { threadId, createdAt, origin } = thread;
    const copyOf = origin?.threadId as ThreadId | undefined; // it was the id of a thread when it was copied
    this.#ports.history?.recorder.threadSeen(threadId, createdAt, copyOf);
    return thread;
  }

  #isVisible(principal: Principal, { threadId, owner }: ThreadView): Promise<boolean> {
    const resource = threadResource(threadId, owner);
    return isAlsoPermitted(this.#ports.policy, {
      principal,
      operation: 'service:thread:read',
      resource,
    });
  }
}

/** Checks whether a thread may be created; resolves with the function that creates it. */
type AskedThread = (threadId: ThreadId) => Promise<(mark?: CreationMark) => Promise<ThreadView>>;
