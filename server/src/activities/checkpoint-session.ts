import { isServiceError, type ServiceError } from '../errors/service-error.ts';
import type { CheckpointQuery, CheckpointSession } from '../guest/port.ts';
import type { Checkpoint, CheckpointOp } from '../model/checkpoint/checkpoint.ts';
import { toCheckpoint, toStoredOp } from '../model/checkpoint/checkpoint-codec.ts';
import {
  applyOp,
  createStore,
  findBlob,
  findCheckpoint,
} from '../model/checkpoint/checkpoint-store.ts';
import type { ThreadId } from '../model/ids.ts';
import type { ChannelBlob, StoredCheckpoint } from '../model/checkpoint/stored.ts';
import { CheckpointBatcher, type Fence } from './checkpoint-batcher.ts';
import type { CheckpointCeilings } from './checkpoint-ceilings.ts';
import type { CheckpointPort } from '../model/checkpoint/checkpoint-port.ts';

/** The attempt reads back its own writes: its newest checkpoints are kept in memory, per namespace. */
const KEPT_AT_HAND = 2;

/** What a session starts from. */
export interface SessionStart extends Fence {
  threadId: ThreadId;
  /** The thread's head as this host remembers it; null: the thread has no checkpoint; undefined: unknown. */
  rememberedHead: Checkpoint | null | undefined;
  /** The guest waits for every write (LangGraph's `durability: "sync"`). */
  isSynchronous: boolean;
  /** The thread's limits. */
  ceilings: CheckpointCeilings;
}

/** The checkpoints of one attempt, as its guest sees them: the thread's, and those not yet sent to it. */
export class AttemptCheckpoints implements CheckpointSession {
  readonly batcher: CheckpointBatcher;
  readonly #start: SessionStart;
  readonly #port: CheckpointPort;
  readonly #ownWrites = createStore<Uint8Array>();
  #head: Checkpoint | null | undefined;
  #isSeeded = false;
  #unreadable: ServiceError | undefined;

  constructor(start: SessionStart, port: CheckpointPort) {
    this.#start = start;
    this.#port = port;
    this.#head = start.rememberedHead;
    if (start.rememberedHead) start.ceilings.learn(start.rememberedHead);
    this.batcher = new CheckpointBatcher(start, port, start.ceilings);
  }

  /** Why a read of the guest failed, however the guest handled that. */
  get unreadable(): ServiceError | undefined {
    return this.#unreadable;
  }

  async head(): Promise<Checkpoint | undefined> {
    this.#head ??= this.#head === null ? null : ((await this.#fetch('', undefined)) ?? null);
    return this.#head ?? undefined;
  }

  async write(op: CheckpointOp): Promise<void> {
    const stored = this.#start.ceilings.admit(toStoredOp(op));
    if (stored.kind === 'writes' && stored.writes.length === 0) return;
    const durable = this.batcher.push(stored, { isUrgent: this.#start.isSynchronous });
    this.#seed();
    applyOp(this.#ownWrites, stored, this.#start.runUuid, KEPT_AT_HAND);
    return durable;
  }

  async load(
    _threadId: string,
    ns: string,
    id: string | undefined,
  ): Promise<Checkpoint | undefined> {
    const own = findCheckpoint(this.#ownWrites, ns, id);
    const atHand = own && this.#assemble(own);
    if (atHand) return atHand;
    // The thread had no checkpoint before, so only those that this attempt wrote can exist.
    if (this.#start.rememberedHead === null && !own) return undefined;
    await this.batcher.flush();
    return this.#fetch(ns, id);
  }

  async *list(
    query: CheckpointQuery,
  ): AsyncGenerator<{ threadId: string; checkpoint: Checkpoint }> {
    await this.batcher.flush();
    const { threadId, runUuid } = this.#start;
    const { ns, id, beforeId, limit, filter, isOwn } = query;
    const selection = {
      ...(ns !== undefined && { ns }),
      ...(id !== undefined && { id }),
      ...(beforeId !== undefined && { beforeId }),
      ...(limit !== undefined && { limit }),
      ...(filter && { filter: jsonTexts(filter) }),
      ...(isOwn && { run: runUuid }),
    };
    try {
      for await (const checkpoint of this.#port.read(threadId, selection))
        yield { threadId, checkpoint };
    } catch (error) {
      throw this.#noted(error);
    }
  }

  /** LangGraph's own code never deletes a thread in a run; an agent may not delete the one it runs in. */
  deleteThread(): Promise<void> {
    return Promise.reject(new Error('An agent cannot delete the thread that it is running in.'));
  }

  /**
   * The newest checkpoint of the root namespace with its pending writes, for the next run; undefined: not in memory.
   */
  newestHead(): Checkpoint | undefined {
    const own = findCheckpoint(this.#ownWrites, '');
    return own ? this.#assemble(own) : (this.#head ?? undefined);
  }

  /**
   * Stores the head that the attempt started from before its first write: it has the blobs of unchanged channels, and
   * answers and results written to it join its existing pending writes.
   */
  #seed(): void {
    if (this.#isSeeded) return;
    this.#isSeeded = true;
    if (!this.#head) return;
    const { blobs, writes: _, metadataJson, ...head } = this.#head;
    const op = toStoredOp({ kind: 'save', save: { ...head, metadataJson, blobs } });
    applyOp(this.#ownWrites, op, 'before', KEPT_AT_HAND);
    for (const write of this.#head.writes) {
      const writes = { ns: head.ns, checkpointId: head.id, writes: [write] };
      applyOp(this.#ownWrites, toStoredOp({ kind: 'writes', writes }), 'before', KEPT_AT_HAND);
    }
  }

  /** Undefined when a blob is not in memory: then the thread is queried. */
  #assemble(stored: StoredCheckpoint<Uint8Array>): Checkpoint | undefined {
    const blobs: ChannelBlob<Uint8Array>[] = [];
    for (const [channel, version] of Object.entries(stored.versions)) {
      const blob = findBlob(this.#ownWrites, stored.ns, channel, version);
      if (!blob) return undefined;
      blobs.push({ ns: stored.ns, channel, version, ...blob });
    }
    return toCheckpoint(stored, blobs);
  }

  async #fetch(ns: string, id: string | undefined): Promise<Checkpoint | undefined> {
    const selection = { ns, limit: 1, ...(id !== undefined && { id }) };
    try {
      for await (const checkpoint of this.#port.read(this.#start.threadId, selection)) {
        this.#start.ceilings.learn(checkpoint);
        return checkpoint;
      }
      return undefined;
    } catch (error) {
      throw this.#noted(error);
    }
  }

  /** Keeps the error, because the guest turns it into its own exception, which does not contain the cause. */
  #noted(error: unknown): unknown {
    if (isServiceError(error)) this.#unreadable ??= error;
    return error;
  }
}

function jsonTexts(filter: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(filter).map(([key, value]) => [key, JSON.stringify(value)]),
  );
}
