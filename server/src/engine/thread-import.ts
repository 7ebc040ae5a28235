import { isServiceError, ServiceError } from '../errors/service-error.ts';
import { packFrame, unpackFrame } from '../model/frame.ts';
import { parseThreadId, type ThreadId } from '../model/ids.ts';
import { deriveLimits } from '../model/limits.ts';
import type { Payload, TypedPayload } from '../model/payload.ts';
import { nextRunStatus } from '../model/run-state.ts';
import { isSettled } from '../model/run.ts';
import type { PlacedBlob, StoredBlob, StoredCheckpoint } from '../model/stored.ts';
import { compact, type Shed } from '../model/thread-compaction.ts';
import type { MovedRun, MovedThread, ThreadPart } from '../model/thread-part.ts';
import {
  openThread,
  snapshotThread,
  threadStatus,
  type StoredRun,
  type ThreadState,
} from '../model/thread-state.ts';
import type { ThreadReport } from '../model/thread-wire.ts';
import type { Stowed } from './payloads.ts';
import type { MoverParts } from './thread-mover.ts';

/** How long an import waits for a storage that is away. */
const STORAGE_PATIENCE_MS = 60_000;

/** How a thread is taken in. */
export interface ImportOptions {
  /** Another id than its own: a second thread, whose unfinished runs are cancelled. */
  as?: ThreadId;
  /** Who owns it from now on. Absent: who did. */
  owner?: string;
  /** Claims of whom runs that had not ended go on for. Absent: whom the bundle says, which anybody can write. */
  principal?: Record<string, unknown>;
}

/** What became of an import. */
export interface ImportedThread {
  threadId: ThreadId;
  /** What had to go so that the thread fits into its first execution. */
  shed: Shed;
  /** Runs that had not ended and go on here. */
  resumedRuns: number;
}

/** Takes one thread in, part by part. Nothing of it is there until `finish`, which starts it whole or not at all. */
export class ThreadImport {
  readonly threadId: ThreadId;
  readonly #parts: MoverParts;
  readonly #thread: MovedThread;
  readonly #isCopy: boolean;
  readonly #owner: string | undefined;
  readonly #principal: Record<string, unknown> | undefined;
  readonly #runs: StoredRun[] = [];
  readonly #checkpoints: StoredCheckpoint[] = [];
  readonly #blobs: PlacedBlob[] = [];
  readonly #holds: Stowed<Payload>[] = [];

  constructor(
    parts: MoverParts,
    thread: MovedThread,
    { as, owner, principal }: ImportOptions = {},
  ) {
    const threadId = as ?? parseThreadId(thread.threadId);
    if (threadId === undefined) {
      const message = `${JSON.stringify(thread.threadId)} is no id of a thread.`;
      throw new ServiceError('bundle_invalid', message);
    }
    this.threadId = threadId;
    this.#parts = parts;
    this.#thread = thread;
    this.#owner = owner;
    this.#principal = principal;
    this.#isCopy = as !== undefined && as !== thread.threadId;
  }

  /** Whether the engine has a thread of that id. */
  async exists(): Promise<boolean> {
    return this.#parts.starter.exists(this.threadId);
  }

  /** Takes a run, a checkpoint or a blob. Large payloads go where this service keeps them. */
  async add(part: Exclude<ThreadPart, { kind: 'thread' }>): Promise<void> {
    if (part.kind === 'run') this.#runs.push(await this.#storedRun(part.run));
    else if (part.kind === 'blob') this.#blobs.push(await this.#storedBlob(part.blob));
    else this.#checkpoints.push(await this.#storedCheckpoint(part.checkpoint));
  }

  /** Starts the thread. `thread_exists`, `checkpoint_too_large`. */
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

  /** Lets go of what was put aside for a thread that is not going to be finished. Idempotent. */
  abandon(): void {
    this.#release({ isCertain: true });
  }

  #release(outcome: { isCertain: boolean }): void {
    for (const stowed of this.#holds.splice(0)) stowed.release(outcome);
  }

  async #start(): Promise<ImportedThread> {
    const { settings, starter, threads } = this.#parts;
    const { questions, context } = this.#thread;
    const state = this.#open({
      ...(questions && { questions: await this.#stow(questions) }),
      ...(context && { context: await this.#stow(context) }),
    });
    const budget = deriveLimits(settings).canPayload;
    const compaction = compact(state, budget);
    if (compaction === undefined) {
      throw new ServiceError(
        'checkpoint_too_large',
        `The thread ${this.threadId} does not fit into this engine, not even without its older checkpoints; external checkpoint storage (engine.external_storage.type) has room for it.`,
        { details: { limit: budget } },
      );
    }
    state.publishedStatus = threadStatus(state);
    await starter.start({ kind: 'continued', snapshot: snapshotThread(state) });
    await threads.query<ThreadReport>(this.threadId, 'thread');
    return { threadId: this.threadId, shed: compaction.shed, resumedRuns: state.queue.length };
  }

  #open(stowed: Pick<ThreadState, 'questions' | 'context'>): ThreadState {
    const { active: _, questions: __, context: ___, ...thread } = this.#thread;
    const runs = this.#runs.map((run) => this.#settleOrResume(run));
    const isOpen = new Set(runs.filter((run) => !isSettled(run.status)).map((run) => run.runUuid));
    // What ran goes on first, as after a crash.
    const order = [...(this.#thread.active === undefined ? [] : [this.#thread.active])];
    const queue = [...order, ...thread.queue].filter((runUuid) => isOpen.has(runUuid));
    const checkpoints = this.#checkpoints;
    return openThread({
      kind: 'continued',
      snapshot: {
        thread: {
          ...thread,
          threadId: this.threadId,
          isEphemeral: false,
          isOpenToSavers: false,
          settings: this.#parts.settings,
          queue,
          ...stowed,
          ...(this.#owner !== undefined && { owner: this.#owner }),
        },
        runs,
        store: { checkpoints, blobs: this.#blobs },
      },
    });
  }

  /** A run that was active is as one whose worker was lost. The runs of a copy belong to the original. */
  #settleOrResume(run: StoredRun): StoredRun {
    if (isSettled(run.status)) return run;
    if (run.status === 'cancelling' || this.#isCopy || !run.request) {
      const { request: _, ...ended } = run;
      return { ...ended, status: nextRunStatus(run.status, 'stop') };
    }
    if (this.#thread.active !== run.runUuid) return run;
    const { fence: _, retryAt: __, ...lost } = run;
    return { ...lost, lastFailure: 'INFRA' };
  }

  /** Whoever sends a bundle sends the claims in it, too: it runs for its sender. */
  #requestFor(request: Uint8Array): Uint8Array {
    const principal = this.#principal;
    if (principal === undefined) return request;
    return packFrame({ ...unpackFrame<Record<string, unknown>>(request), principal });
  }

  async #storedRun(moved: MovedRun): Promise<StoredRun> {
    const { request, output, interrupts, context, ...run } = moved;
    return {
      ...run,
      ...(request && { request: await this.#stow(this.#requestFor(request)) }),
      ...(output && { output: await this.#stow(output) }),
      ...(interrupts && { interrupts: await this.#stow(interrupts) }),
      ...(context && { context: await this.#stow(context) }),
    };
  }

  async #storedCheckpoint(checkpoint: StoredCheckpoint<Uint8Array>): Promise<StoredCheckpoint> {
    const writes = [];
    for (const write of checkpoint.writes) writes.push(await this.#storedBlob(write));
    return {
      ...checkpoint,
      skeleton: await this.#typed(checkpoint.skeleton),
      metadata: await this.#typed(checkpoint.metadata),
      writes,
    };
  }

  async #storedBlob<B extends StoredBlob<Uint8Array>>({
    value,
    json,
    ...place
  }: B): Promise<Omit<B, 'value' | 'json'> & StoredBlob> {
    return {
      ...place,
      value: await this.#typed(value),
      ...(json && { json: await this.#stow(json) }),
    };
  }

  async #typed({ tag, bytes }: TypedPayload<Uint8Array>): Promise<TypedPayload> {
    return { tag, bytes: await this.#stow(bytes) };
  }

  async #stow(bytes: Uint8Array): Promise<Payload> {
    const stowed = await this.#parts.payloads.stow(this.threadId, bytes, {
      patienceMs: STORAGE_PATIENCE_MS,
    });
    if (!stowed) return bytes;
    this.#holds.push(stowed);
    return stowed.kept;
  }
}
