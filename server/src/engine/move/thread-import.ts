import { setImmediate as nextTurn } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import { isServiceError, ServiceError } from '../../errors/service-error.ts';
import { packFrame, unpackFrame } from '../../model/frame.ts';
import { parseThreadId, type ThreadId } from '../../model/ids.ts';
import { deriveLimits, type ThreadLimits } from '../../model/limits/limits.ts';
import type { Payload, TypedPayload } from '../../model/checkpoint/payload.ts';
import { isSettled } from '../../model/run/run.ts';
import type { ChannelBlob, StoredBlob, StoredCheckpoint } from '../../model/checkpoint/stored.ts';
import { compact, type Shed } from '../../model/thread/thread-compaction.ts';
import { runIndexOf } from '../../model/thread/thread-index.ts';
import type { MovedRun, MovedThread, ThreadPart } from '../../model/thread/thread-part.ts';
import type { RestartPolicy } from '../../model/run/restarts.ts';
import type { StoredRun } from '../../model/run/run-record.ts';
import {
  OUTSIDE_RUNS,
  type ThreadSettings,
  type ThreadState,
} from '../../model/thread/thread-record.ts';
import {
  openThread,
  runIndex,
  snapshotThread,
  threadStatus,
} from '../../model/thread/thread-state.ts';
import type { ThreadReport } from '../../model/thread/thread-wire.ts';
import type { OffloadedPayload, PayloadPort } from '../../model/checkpoint/payload-port.ts';
import { requireRoom } from '../client/run-ticket.ts';
import type { EngineConnection } from '../client/connection.ts';
import type { ThreadClient } from '../client/thread-client.ts';
import type { ThreadStarter } from '../client/thread-starter.ts';

/** The dependencies of moving threads. */
export interface MoverParts {
  connection: EngineConnection;
  taskQueue: string;
  threads: ThreadClient;
  starter: ThreadStarter;
  payloads: PayloadPort;
  /** For imported threads. */
  settings: ThreadSettings;
  /** For runs that continue here. */
  restart: RestartPolicy;
}

/** How long an import waits for an unavailable storage. */
const STORAGE_PATIENCE_MS = 60_000;

/** How a thread is imported. */
export interface ImportOptions {
  /** Another id than its own: a second thread, whose runs are distinct from those of the first. */
  as?: ThreadId;
  /** Its new owner. Absent: the previous one. */
  owner?: string;
  /** Unfinished runs continue with these claims. Absent: they are cancelled. */
  resumeAs?: Record<string, unknown>;
}

/** The result of an import. */
export interface ImportedThread {
  threadId: ThreadId;
  /** What was dropped so that the thread fits into its first execution. */
  shed: Shed;
  /** Unfinished runs that continue here. */
  resumedRuns: number;
  /** Unfinished runs that were cancelled. */
  endedRuns: number;
}

/** Imports one thread, part by part. It does not exist until `finish`, which starts it whole or not at all. */
export class ThreadImport {
  readonly threadId: ThreadId;
  readonly #parts: MoverParts;
  readonly #limits: ThreadLimits;
  readonly #thread: MovedThread;
  readonly #isCopy: boolean;
  readonly #owner: string | undefined;
  readonly #resumeAs: Record<string, unknown> | undefined;
  readonly #runs: StoredRun[] = [];
  readonly #checkpoints: StoredCheckpoint[] = [];
  readonly #blobs: ChannelBlob[] = [];
  readonly #holds: OffloadedPayload<Payload>[] = [];
  /** The uuids of a copy's runs by those of the original's, so that an operation on one run never affects the other. */
  readonly #newUuids = new Map<string, string>();
  #endedRuns = 0;

  constructor(parts: MoverParts, thread: MovedThread, { as, owner, resumeAs }: ImportOptions = {}) {
    const threadId = as ?? parseThreadId(thread.threadId);
    if (threadId === undefined) {
      throw new ServiceError('bundle_invalid', 'The id of the thread is none.');
    }
    this.threadId = threadId;
    this.#parts = parts;
    this.#limits = deriveLimits(parts.settings);
    this.#thread = thread;
    this.#owner = owner;
    this.#resumeAs = resumeAs;
    this.#isCopy = as !== undefined && as !== thread.threadId;
  }

  /** Whether the engine has a thread with that id. */
  async exists(): Promise<boolean> {
    return this.#parts.starter.exists(this.threadId);
  }

  /**
   * Adds a run, a checkpoint or a blob. Large payloads are stored where this service keeps them. `payload_too_large`.
   */
  async add(part: Exclude<ThreadPart, { kind: 'thread' }>): Promise<void> {
    if (part.kind === 'run') this.#runs.push(await this.#storedRun(part.run));
    else if (part.kind === 'blob') this.#blobs.push(await this.#storedBlob(part.blob));
    else this.#checkpoints.push(await this.#storedCheckpoint(part.checkpoint));
  }

  /** Starts the thread. `thread_exists`, `checkpoint_too_large`, `payload_too_large`. */
  async finish(): Promise<ImportedThread> {
    let isCertain = false;
    try {
      const imported = await this.#start();
      isCertain = true;
      return imported;
    } catch (error) {
      isCertain = isServiceError(error) && error.code !== 'engine_unavailable';
      throw error;
    } finally {
      this.#release({ isCertain });
    }
  }

  /** Releases what was stored for a thread that will not be finished. Idempotent. */
  abandon(): void {
    this.#release({ isCertain: true });
  }

  #release(outcome: { isCertain: boolean }): void {
    for (const offloaded of this.#holds.splice(0)) offloaded.release(outcome);
  }

  async #start(): Promise<ImportedThread> {
    const { starter, threads } = this.#parts;
    const { questions, context } = this.#thread;
    requireRoom(this.#limits, { ...(context && { context }) });
    // In any other order each would move those before it.
    this.#checkpoints.sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
    const state = this.#open({
      ...(questions && { questions: await this.#offload(questions) }),
      ...(context && { context: await this.#offload(context) }),
    });
    const budget = this.#limits.canPayload;
    await nextTurn();
    const compaction = compact(state, budget);
    if (compaction === undefined) {
      throw new ServiceError(
        'checkpoint_too_large',
        `The thread ${this.threadId} does not fit into this engine, not even without its older checkpoints; external checkpoint storage (engine.external_storage.type) has space for it.`,
        { details: { limit: budget } },
      );
    }
    state.publishedStatus = threadStatus(state);
    state.publishedRun = runIndexOf(state);
    await nextTurn();
    await starter.start({ kind: 'continued', snapshot: snapshotThread(state) });
    await threads.query<ThreadReport>(this.threadId, 'thread');
    return {
      threadId: this.threadId,
      shed: compaction.shed,
      resumedRuns: state.queue.length,
      endedRuns: this.#endedRuns,
    };
  }

  #open(offloaded: Pick<ThreadState, 'questions' | 'context'>): ThreadState {
    const { createdAt, updatedAt, metadata, revision, stopped, agentId, keys } = this.#thread;
    const { left, isWithdrawn } = this.#thread;
    const owner = this.#owner ?? this.#thread.owner;
    const checkpoints = this.#checkpoints;
    return openThread({
      kind: 'continued',
      snapshot: {
        // Member by member: unknown members of a file must not become part of a thread.
        thread: {
          threadId: this.threadId,
          isEphemeral: false,
          createdAt,
          updatedAt,
          metadata,
          revision,
          settings: this.#parts.settings,
          queue: this.#queue(),
          publishedStatus: 'idle',
          publishedRun: runIndex(undefined, agentId),
          ...(stopped && { stopped }),
          ...(agentId !== undefined && { agentId }),
          ...(left && { left }),
          ...(isWithdrawn !== undefined && { isWithdrawn }),
          ...(owner !== undefined && { owner }),
          // Idempotency keys belong to the original thread and its owner, not to a copy or a new owner.
          ...(keys && !this.#isCopy && this.#owner === undefined && { keys }),
          ...offloaded,
        },
        runs: this.#runs,
        store: { checkpoints, blobs: this.#blobs },
      },
    });
  }

  /** The runs that continue: the active one first, as after a crash, then the queued ones. */
  #queue(): string[] {
    const { active, queue } = this.#thread;
    const open = new Set(this.#runs.filter(isOpen).map(({ runUuid }) => runUuid));
    const ordered = [...(active === undefined ? [] : [active]), ...queue, ...open];
    return [...new Set(ordered)].filter((runUuid) => open.has(runUuid));
  }

  async #storedRun(moved: MovedRun): Promise<StoredRun> {
    const { request, output, interrupts, context, ...run } = moved;
    const own = { ...(context && { context }) };
    requireRoom(this.#limits, own);
    const kept = {
      ...run,
      ...(output && { output: await this.#offload(output) }),
      ...(interrupts && { interrupts: await this.#offload(interrupts) }),
      ...(context && { context: await this.#offload(context) }),
    };
    if (isOpen(run) && run.status !== 'cancelling' && request && this.#resumeAs && !this.#isCopy) {
      const asked = this.#requestOf(run, request, this.#resumeAs);
      requireRoom(this.#limits, { ...own, request: asked, continues: run.continues === true });
      return this.#resumed({ ...kept, request: await this.#offload(asked) });
    }
    if (isOpen(run)) this.#endedRuns += 1;
    return ended({ ...kept, runUuid: this.#uuidOf(run.runUuid) });
  }

  /** It continues as a run whose worker was lost, with the restart policy of this service. */
  #resumed(run: StoredRun): StoredRun {
    const { fence: _, retryAt: __, ...lost } = { ...run, restart: this.#parts.restart };
    const wasActive = this.#thread.active === run.runUuid;
    return { ...lost, status: 'running', ...(wasActive && { lastFailure: 'INFRA' as const }) };
  }

  /** The author of a file can write any claims into it, so the run continues with the claims that the import sets. */
  #requestOf(
    { runUuid, agentId }: Pick<StoredRun, 'runUuid' | 'agentId'>,
    request: Uint8Array,
    principal: Record<string, unknown>,
  ): Uint8Array {
    const asked = unpackFrame<Record<string, unknown>>(request);
    return packFrame({ ...asked, runUuid, agentId, principal });
  }

  #uuidOf(runUuid: string): string {
    if (!this.#isCopy || runUuid === OUTSIDE_RUNS) return runUuid;
    const known = this.#newUuids.get(runUuid);
    if (known !== undefined) return known;
    const made = uuidv7();
    this.#newUuids.set(runUuid, made);
    return made;
  }

  async #storedCheckpoint(checkpoint: StoredCheckpoint<Uint8Array>): Promise<StoredCheckpoint> {
    const writes = [];
    for (const write of checkpoint.writes) writes.push(await this.#storedBlob(write));
    return {
      ...checkpoint,
      run: this.#uuidOf(checkpoint.run),
      skeleton: await this.#typed(checkpoint.skeleton),
      metadata: await this.#typed(checkpoint.metadata),
      writes,
    };
  }

  async #storedBlob<B extends StoredBlob<Uint8Array>>({
    value,
    json,
    ...rest
  }: B): Promise<Omit<B, 'value' | 'json'> & StoredBlob> {
    return {
      ...rest,
      value: await this.#typed(value),
      ...(json && { json: await this.#offload(json) }),
    };
  }

  async #typed({ tag, bytes }: TypedPayload<Uint8Array>): Promise<TypedPayload> {
    return { tag, bytes: await this.#offload(bytes) };
  }

  async #offload(bytes: Uint8Array): Promise<Payload> {
    const offloaded = await this.#parts.payloads.offload(this.threadId, bytes, {
      patienceMs: STORAGE_PATIENCE_MS,
    });
    if (!offloaded) return bytes;
    this.#holds.push(offloaded);
    return offloaded.kept;
  }
}

function isOpen({ status }: Pick<StoredRun, 'status'>): boolean {
  return !isSettled(status);
}

/** A run that does not continue: data that only an attempt of it would need is dropped. */
function ended(run: StoredRun): StoredRun {
  const { request: _, base: __, fence: ___, retryAt: ____, isRolledBack: _____, ...kept } = run;
  if (!isOpen(run)) return kept;
  // As if it had been cancelled at that point.
  return { ...kept, status: 'cancelled', ...(!run.hasWritten && { isVoid: true }) };
}
