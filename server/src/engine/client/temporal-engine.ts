import { unpackFrame } from '../../model/frame.ts';
import { compositeRunId, type RunId, type RunUuid, type ThreadId } from '../../model/ids.ts';
import { runFacts, isSettled, type NewRun, type RunView } from '../../model/run/run.ts';
import type { RestartPolicy } from '../../model/run/restarts.ts';
import type { RunReport, ThreadReport } from '../../model/thread/thread-wire.ts';
import type { ThreadView } from '../../model/thread/thread.ts';
import { isServiceError, ServiceError } from '../../errors/service-error.ts';
import { type CopyParts, copyThread } from '../move/copy-thread.ts';
import type { ProcessRuns } from '../worker/process-runs.ts';
import type { EnginePort } from '../port.ts';
import { withTicket } from './run-ticket.ts';
import { createStateReader } from '../read/state-reader.ts';
import { ThreadOwners } from '../search/thread-owners.ts';
import type { ThreadSearcher } from '../search/thread-search.ts';
import { runView, threadView } from '../read/views.ts';

interface RunsPage {
  runs: RunReport[];
  total: number;
}

/** How often a waiting call queries the engine, in case no sign reaches this process. */
const WAIT_POLL_MS = 2_000;

/** The dependencies of the engine. */
export interface TemporalEngineParts extends CopyParts {
  search: ThreadSearcher;
  local: ProcessRuns;
  restart: RestartPolicy;
  /** Other processes may remove threads, too. */
  isShared: boolean;
  isHealthy(): Promise<boolean>;
}

/** The EnginePort on Temporal: threads are workflows, changes are Updates, reads are queries. */
export function createTemporalEngine(parts: TemporalEngineParts): EnginePort {
  const { threads, payloads, starter, local, settings } = parts;
  const states = createStateReader(threads, payloads);
  const owners = new ThreadOwners(async (threadId) => {
    const { owner } = await threads.query<ThreadReport>(threadId, 'thread');
    return owner;
  }, !parts.isShared);

  async function remove(threadId: ThreadId, onAccepted?: () => void): Promise<void> {
    await owners.removing(threadId, () => starter.remove(threadId, onAccepted));
  }

  async function readRun(threadId: ThreadId, runUuid: RunUuid): Promise<RunView> {
    const { run } = await threads.query<{ run?: RunReport }>(threadId, 'run', { runUuid });
    if (!run) throw new ServiceError('run_not_found', `There is no run ${threadId}_${runUuid}.`);
    return runView(payloads, threadId, run);
  }

  async function* runsFrom(
    threadId: ThreadId,
    first: RunsPage,
    { limit, offset }: { limit: number; offset: number },
  ): AsyncGenerator<RunView> {
    let page = first;
    let count = 0;
    for (;;) {
      for (const report of page.runs) yield runView(payloads, threadId, report);
      count += page.runs.length;
      if (page.runs.length === 0 || count >= limit || offset + count >= page.total) return;
      page = await readRuns(threadId, { limit: limit - count, offset: offset + count });
    }
  }

  function readRuns(
    threadId: ThreadId,
    page: { limit: number; offset: number },
  ): Promise<RunsPage> {
    return threads.query<RunsPage>(threadId, 'runs', page);
  }

  /** In this process at once, in others with the next heartbeat. */
  function stopReplaced(threadId: ThreadId, runUuid: RunUuid): void {
    const runId = compositeRunId(threadId, runUuid);
    local.forget(runId);
    local.abort(runId);
  }

  /**
   * Makes the thread record the ends that clients already saw, so that the next request is consistent with them. A
   * thread receives an Update before a run's end in the same task, and would cancel or remove a completed run; it
   * responds to a query after everything that has arrived.
   */
  async function catchUp(threadId: ThreadId): Promise<void> {
    const ahead = local.aheadOf(threadId);
    if (ahead.length === 0) return;
    await threads.query<ThreadReport>(threadId, 'thread');
    local.caughtUp(ahead);
  }

  function newThread(threadId: ThreadId) {
    const createdAt = Date.now();
    return {
      kind: 'new' as const,
      threadId,
      isEphemeral: false,
      createdAt,
      metadata: {},
      settings,
    };
  }

  return {
    async createThread(threadId, metadata, { owner, mark } = {}): Promise<ThreadView> {
      const createdAt = Date.now();
      const owned = owner === undefined ? {} : { owner };
      const start = { ...newThread(threadId), metadata, createdAt, ...owned };
      await starter.start(start, mark);
      const view = { threadId, createdAt, updatedAt: createdAt, metadata };
      return { ...view, status: 'idle', ...owned };
    },

    // An ephemeral thread without a run has nothing to wait for.
    reserveIdempotencyKey: (threadId, mark) =>
      starter.start({ ...newThread(threadId), isEphemeral: true }, mark),

    readMark: (threadId) => starter.readMark(threadId),

    copyThread: (source, target, options) => copyThread(parts, source, target, options),

    searchThreads: (search) => parts.search.find(search),

    async readThread(threadId) {
      const report = await threads.query<ThreadReport>(threadId, 'thread');
      return { ...threadView(threadId, report), state: await states.head(report) };
    },

    ownerOf: (threadId) => owners.ownerOf(threadId),

    async patchMetadata(threadId, metadata): Promise<ThreadView> {
      const now = Date.now();
      const frame = await threads.update(threadId, 'patchMetadata', { metadata, now });
      return threadView(threadId, unpackFrame<ThreadReport>(frame));
    },

    async deleteThread(threadId): Promise<void> {
      let aborted: RunId[] = [];
      // Only once the engine has accepted it: a thread whose removal failed continues.
      await remove(threadId, () => (aborted = local.abortThread(threadId)));
      // A deleted thread sends no sign itself: readers and waiting calls end now.
      for (const runId of aborted) local.settle(runId);
      await payloads.removed(threadId);
    },

    async createRun(threadId, run, idempotency): Promise<RunView> {
      if (run.multitaskStrategy !== undefined) await catchUp(threadId);
      const report = await withTicket(parts, threadId, run, (ticket) =>
        local.expect(threadId, run.runUuid, async () => {
          const asked = { ...ticket, ...(idempotency && { idempotency }) };
          return unpackFrame<RunReport>(await threads.update(threadId, 'createRun', asked));
        }),
      );
      payloads.changed(threadId);
      // They were uuids when the runs were created.
      for (const runUuid of report.replaced ?? []) stopReplaced(threadId, runUuid as RunUuid);
      return runView(payloads, threadId, report);
    },

    async startStateless(threadId, run, mark, metadata = {}): Promise<RunView> {
      if (run.checkpoint) {
        const message = 'A stateless run starts on a thread of its own, which has no checkpoint.';
        throw new ServiceError('checkpoint_not_found', message);
      }
      const { createdAt } = await withTicket(parts, threadId, run, (firstRun) =>
        local.expect(threadId, run.runUuid, async () => {
          const { createdAt: at } = firstRun;
          const thread = { ...newThread(threadId), isEphemeral: true, createdAt: at, firstRun };
          await starter.start({ ...thread, metadata, ...ownerOf(run) }, mark);
          return firstRun;
        }),
      );
      const { maxAttempts } = parts.restart;
      const facts = runFacts({ ...run, createdAt });
      return { ...facts, threadId, status: 'running', updatedAt: createdAt, maxAttempts };
    },

    readRun,

    async listRuns(threadId, page) {
      const first = await readRuns(threadId, page);
      return { total: first.total, items: runsFrom(threadId, first, page) };
    },

    async cancelRun(threadId, runUuid): Promise<RunView> {
      const runId = compositeRunId(threadId, runUuid);
      try {
        await catchUp(threadId);
        const frame = await threads.update(threadId, 'cancelRun', { runUuid, now: Date.now() });
        local.forget(runId);
        local.abort(runId);
        return runView(payloads, threadId, unpackFrame<RunReport>(frame));
      } catch (error) {
        // The thread of a stateless run ends with it: nothing is left to cancel.
        if (!isServiceError(error) || error.code !== 'thread_stopped') throw error;
        return readRun(threadId, runUuid);
      }
    },

    async deleteRun(threadId, runUuid): Promise<void> {
      const runId = compositeRunId(threadId, runUuid);
      try {
        await catchUp(threadId);
        await threads.update(threadId, 'deleteRun', { runUuid, now: Date.now() });
        local.forget(runId);
        payloads.changed(threadId);
      } catch (error) {
        if (!isServiceError(error) || error.code !== 'thread_stopped') throw error;
        await readRun(threadId, runUuid);
        await remove(threadId);
        local.forget(runId);
        await payloads.removed(threadId);
      }
    },

    async awaitRun(threadId, runUuid, signal): Promise<RunView> {
      const runId = compositeRunId(threadId, runUuid);
      const known = local.settledView(runId);
      if (known) return known;
      // A run that was accepted here gives a sign when it ends; querying first would only cost a query.
      let view = local.isExpected(runId)
        ? await local.nextSign(runId, WAIT_POLL_MS, signal)
        : undefined;
      for (;;) {
        const sign = local.nextSign(runId, WAIT_POLL_MS, signal);
        sign.catch(() => undefined); // awaited below, unless the read fails first
        view ??= await unlessAway(readRun(threadId, runUuid));
        if (view && isSettled(view.status)) return view;
        view = await sign;
      }
    },

    async readState(threadId) {
      return states.head(await threads.query<ThreadReport>(threadId, 'thread'));
    },

    readCheckpoint: (threadId, target) => states.checkpoint(threadId, target),

    readHistory: (threadId, query) => states.history(threadId, query),

    isHealthy: () => parts.isHealthy(),
  };
}

/** Undefined when the engine is unavailable: a call that waits for a run also waits for the engine. */
function unlessAway<T>(read: Promise<T>): Promise<T | undefined> {
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
