import { isServiceError, ServiceError } from '../../errors/service-error.ts';
import { unpackFrame } from '../../model/frame.ts';
import { compositeRunId, type RunId, type RunUuid, type ThreadId } from '../../model/ids.ts';
import type { PayloadPort } from '../../model/checkpoint/payload-port.ts';
import { runFacts, isSettled, type NewRun, type RunView } from '../../model/run/run.ts';
import type { RestartPolicy } from '../../model/run/restarts.ts';
import type { RunTicket } from '../../model/run/run-record.ts';
import type { Idempotency } from '../../model/thread/idempotency.ts';
import type { ThreadSettings } from '../../model/thread/thread-record.ts';
import type {
  CancelOptions,
  CancelRequest,
  RunReport,
  ThreadReport,
} from '../../model/thread/thread-wire.ts';
import type { CreationMark, RowStream } from '../requests.ts';
import { runView } from '../read/views.ts';
import type { ProcessRuns, RecordedEnd } from '../worker/process-runs.ts';
import type { EngineThreads } from './engine-threads.ts';
import type { EngineWrites } from './engine-writes.ts';
import { withTicket } from './run-ticket.ts';
import type { ThreadClient } from './thread-client.ts';
import { newThread, type ThreadStarter } from './thread-starter.ts';

export interface EngineRunsPorts {
  threads: ThreadClient;
  payloads: PayloadPort;
  starter: ThreadStarter;
  local: ProcessRuns;
  writes: EngineWrites;
  /** Deletes the thread of a stateless run. */
  threadRemoval: Pick<EngineThreads, 'delete'>;
  /** Of the threads of stateless runs. */
  settings: ThreadSettings;
  restart: RestartPolicy;
  /** Other processes may run the same threads: then no run begins within the task that accepts it. */
  isShared: boolean;
}

/** How a run is created on a thread. */
export interface RunOptions {
  /** The same key again returns the run that it made; `idempotency_conflict`. */
  idempotency?: Idempotency | undefined;
  /** The caller waits for its end: its creation may be reported together with its end. */
  isShort?: boolean;
}

/** How a stateless run is created. */
export interface StatelessRunOptions {
  mark?: CreationMark | undefined;
  /** Of its thread. */
  metadata?: Record<string, string>;
  /** The caller waits for its end, or follows it. */
  isShort?: boolean;
}

interface RunsPage {
  runs: RunReport[];
  total: number;
}

interface PageOptions {
  limit: number;
  offset: number;
}

/** How often a waiting call queries the engine, in case no sign reaches this process. */
const WAIT_POLL_MS = 2_000;

/** The runs of threads on Temporal: changes are Updates of the thread's workflow, reads are queries. */
export class EngineRuns {
  readonly #ports: EngineRunsPorts;

  constructor(ports: EngineRunsPorts) {
    this.#ports = ports;
  }

  /**
   * `not_interrupted`, `thread_stopped`, `thread_busy`, `payload_too_large`. Queued when another run is active, unless
   * its strategy differs.
   */
  create(threadId: ThreadId, run: NewRun, options: RunOptions = {}): Promise<RunView> {
    const { threads, payloads, local, writes } = this.#ports;
    const { idempotency } = options;
    const isShort = this.#mayBeShort(run, options);
    return writes.createRun(threadId, run, async (created) => {
      if (run.multitaskStrategy !== undefined) await this.#catchUp(threadId);
      const create = async (ticket: RunTicket): Promise<RunReport> => {
        const asked = {
          ...ticket,
          ...(idempotency && { idempotency }),
          ...(isShort && { isShort }),
        };
        const made = unpackFrame<RunReport>(await threads.update(threadId, 'createRun', asked));
        local.confirm(compositeRunId(threadId, run.runUuid), isSettled(made.status));
        return made;
      };
      const report = await withTicket(this.#ports, threadId, created, (ticket) =>
        local.expect(threadId, run.runUuid, () => create(ticket), { isShort }),
      );
      if (isShort) local.note(threadId, run.runUuid);
      payloads.changed(threadId);
      // They were uuids when the runs were created.
      for (const runUuid of report.replaced ?? []) this.#stop(threadId, runUuid as RunUuid);
      return runView(payloads, threadId, report);
    });
  }

  /** A run on its own ephemeral thread, which has this metadata. `thread_exists`. */
  startStateless(
    threadId: ThreadId,
    run: NewRun,
    options: StatelessRunOptions = {},
  ): Promise<RunView> {
    const { starter, local, writes, settings, restart } = this.#ports;
    const { mark, metadata = {} } = options;
    const isShort = this.#mayBeShort(run, options);
    const acceptance = { isShort, recorded: this.#recordedEnd(threadId, run.runUuid) };
    return writes.createRun(threadId, run, async (created) => {
      if (run.checkpoint) {
        const message = 'A stateless run starts on its own thread, which has no checkpoint.';
        throw new ServiceError('checkpoint_not_found', message);
      }
      const start = async (ticket: RunTicket): Promise<RunTicket> => {
        const firstRun = { ...ticket, ...(isShort && { isShort }) };
        const { createdAt: at } = firstRun;
        const thread = { ...newThread(threadId, settings), isEphemeral: true, createdAt: at };
        await starter.start({ ...thread, firstRun, metadata, ...ownerOf(run) }, mark);
        return firstRun;
      };
      const { createdAt } = await withTicket(this.#ports, threadId, created, (ticket) =>
        local.expect(threadId, run.runUuid, () => start(ticket), acceptance),
      );
      const { maxAttempts } = restart;
      const facts = runFacts({ ...created, createdAt });
      const { kwargs } = run;
      return {
        ...{ ...facts, threadId, status: 'running', updatedAt: createdAt, maxAttempts },
        ...(kwargs && { kwargs }),
      };
    });
  }

  async read(threadId: ThreadId, runUuid: RunUuid): Promise<RunView> {
    const { threads, payloads } = this.#ports;
    const { run } = await threads.query<{ run?: RunReport }>(threadId, 'run', { runUuid });
    if (!run) throw new ServiceError('run_not_found', `There is no run ${threadId}_${runUuid}.`);
    return runView(payloads, threadId, run);
  }

  /** Newest first. */
  async list(threadId: ThreadId, page: PageOptions): Promise<RowStream<RunView>> {
    const first = await this.#page(threadId, page);
    return { total: first.total, items: this.#from(threadId, first, page) };
  }

  /**
   * Idempotent: a run that has ended is returned unchanged. With a rollback it is removed with its checkpoints as soon as
   * it has stopped: it is then `run_not_found`.
   */
  async cancel(threadId: ThreadId, runUuid: RunUuid, how: CancelOptions = {}): Promise<RunView> {
    const { threads, payloads } = this.#ports;
    try {
      await this.#catchUp(threadId);
      const asked: CancelRequest = { runUuid, now: Date.now(), ...how };
      const frame = await threads.update(threadId, 'cancelRun', asked);
      this.#stop(threadId, runUuid);
      return runView(payloads, threadId, unpackFrame<RunReport>(frame));
    } catch (error) {
      // The thread of a stateless run ends with it: nothing is left to cancel.
      if (!isStopped(error)) throw error;
      return this.read(threadId, runUuid);
    }
  }

  /** `run_active` while the run is pending or running. */
  async delete(threadId: ThreadId, runUuid: RunUuid): Promise<void> {
    const { threads, payloads, local, threadRemoval } = this.#ports;
    try {
      await this.#catchUp(threadId);
      await threads.update(threadId, 'deleteRun', { runUuid, now: Date.now() });
      payloads.changed(threadId);
    } catch (error) {
      if (!isStopped(error)) throw error;
      // A stateless run is all that its thread has.
      await this.read(threadId, runUuid);
      await threadRemoval.delete(threadId);
    }
    local.forget(compositeRunId(threadId, runUuid));
  }

  /** Resolves when the run is settled (ended or interrupted); rejects with the signal's reason. */
  async whenSettled(threadId: ThreadId, runUuid: RunUuid, signal: AbortSignal): Promise<RunView> {
    const { local } = this.#ports;
    const runId = compositeRunId(threadId, runUuid);
    const known = local.settledView(runId);
    if (known) return known;
    // A run that was accepted here gives a sign when it ends; querying first would only cost a query.
    let view = local.isExpected(runId) ? await this.#nextSign(runId, signal) : undefined;
    for (;;) {
      const sign = this.#nextSign(runId, signal);
      sign.catch(() => undefined); // awaited below, unless the read fails first
      view ??= await unlessUnavailable(this.read(threadId, runUuid));
      if (view && isSettled(view.status)) return view;
      view = await sign;
    }
  }

  /** Within the task that accepts it, a run reads no checkpoint but the head, and waits for no save. */
  #mayBeShort(run: NewRun, { isShort = false }: { isShort?: boolean }): boolean {
    const isPlain = run.checkpoint === undefined && run.afterMs === undefined;
    return isShort && isPlain && run.durability !== 'sync' && !this.#ports.isShared;
  }

  /** The end of a stateless run is recorded with the end of its thread, which outlives only an interrupt. */
  #recordedEnd(threadId: ThreadId, runUuid: RunUuid): RecordedEnd {
    return async (status) => {
      if (status === 'interrupted') await this.read(threadId, runUuid);
      else await this.#ports.starter.untilEnd(threadId);
    };
  }

  #nextSign(runId: RunId, signal: AbortSignal): Promise<RunView | undefined> {
    return this.#ports.local.nextSign(runId, WAIT_POLL_MS, signal);
  }

  #page(threadId: ThreadId, page: PageOptions): Promise<RunsPage> {
    return this.#ports.threads.query<RunsPage>(threadId, 'runs', page);
  }

  async *#from(
    threadId: ThreadId,
    first: RunsPage,
    { limit, offset }: PageOptions,
  ): AsyncGenerator<RunView> {
    let page = first;
    let count = 0;
    for (;;) {
      for (const report of page.runs) yield runView(this.#ports.payloads, threadId, report);
      count += page.runs.length;
      if (page.runs.length === 0 || count >= limit || offset + count >= page.total) return;
      page = await this.#page(threadId, { limit: limit - count, offset: offset + count });
    }
  }

  /** In this process at once, in others with the next heartbeat. */
  #stop(threadId: ThreadId, runUuid: RunUuid): void {
    const { local } = this.#ports;
    const runId = compositeRunId(threadId, runUuid);
    local.forget(runId);
    local.abort(runId);
  }

  /**
   * Makes the thread record the ends that clients already saw, so that the next request is consistent with them. A
   * thread receives an Update before a run's end in the same task, and would cancel or remove a completed run; it
   * responds to a query after everything that has arrived.
   */
  async #catchUp(threadId: ThreadId): Promise<void> {
    const { threads, local } = this.#ports;
    const ahead = local.aheadOf(threadId);
    if (ahead.length === 0) return;
    await threads.query<ThreadReport>(threadId, 'thread');
    local.caughtUp(ahead);
  }
}

function isStopped(error: unknown): boolean {
  return isServiceError(error) && error.code === 'thread_stopped';
}

/** Undefined when the engine is unavailable: a call that waits for a run also waits for the engine. */
function unlessUnavailable<T>(read: Promise<T>): Promise<T | undefined> {
  return read.catch((error: unknown) => {
    if (isServiceError(error) && error.code === 'engine_unavailable') return undefined;
    throw error;
  });
}

/** The principal of a stateless run owns its thread. */
function ownerOf({ principal }: NewRun): { owner?: string } {
  const sub = principal['sub'];
  return typeof sub === 'string' ? { owner: sub } : {};
}
