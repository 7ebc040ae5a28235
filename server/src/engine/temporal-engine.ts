import { unpackFrame } from '../model/frame.ts';
import type { RunUuid, ThreadId } from '../model/ids.ts';
import { jsonText } from '../model/json-text.ts';
import { isSettled, type RunView } from '../model/run.ts';
import type {
  RestartPolicy,
  RunReport,
  ThreadReport,
  ThreadSettings,
} from '../model/thread-wire.ts';
import type { HistoryEntry, StateSnapshot, ThreadView } from '../model/thread.ts';
import { isServiceError, ServiceError } from '../errors/service-error.ts';
import { readCheckpoints } from './checkpoint-reader.ts';
import type { LocalRuns } from './local-runs.ts';
import type { PayloadPort } from './payloads.ts';
import type { EnginePort, Page } from './port.ts';
import { withTicket } from './run-ticket.ts';
import { historyEntry, stateValues } from './state-values.ts';
import type { ThreadClient } from './thread-client.ts';
import type { ThreadStarter } from './thread-starter.ts';
import { pendingInterrupts, runView, threadView } from './views.ts';

/** How often a waiting call asks the engine, in case no sign reaches this process. */
const WAIT_POLL_MS = 2_000;

/** What the engine needs to serve threads. */
export interface TemporalEngineParts {
  threads: ThreadClient;
  payloads: PayloadPort;
  starter: ThreadStarter;
  local: LocalRuns;
  settings: ThreadSettings;
  restart: RestartPolicy;
  isHealthy(): Promise<boolean>;
}

/** The EnginePort on Temporal: threads are workflows, changes are Updates, reads are queries. */
export function createTemporalEngine(parts: TemporalEngineParts): EnginePort {
  const { threads, payloads, starter, local, settings } = parts;

  async function readRun(threadId: ThreadId, runUuid: RunUuid): Promise<RunView> {
    const { run } = await threads.query<{ run?: RunReport }>(threadId, 'run', { runUuid });
    if (!run) throw new ServiceError('run_not_found', `There is no run ${threadId}_${runUuid}.`);
    return runView(payloads, threadId, run);
  }

  async function readState(threadId: ThreadId): Promise<StateSnapshot> {
    const report = await threads.query<ThreadReport>(threadId, 'thread');
    return { ...(await readHead(threadId)), interrupts: await pendingInterrupts(payloads, report) };
  }

  async function readHead(threadId: ThreadId): Promise<Omit<StateSnapshot, 'interrupts'>> {
    for await (const read of readCheckpoints(threads, payloads, threadId, {
      ns: '',
      limit: 1,
      content: 'json',
    })) {
      const { ns, id } = read.checkpoint;
      return { threadId, values: stateValues(read), checkpoint: { ns, id } };
    }
    return { threadId, values: jsonText('{}') };
  }

  return {
    async createThread(threadId, metadata): Promise<ThreadView> {
      const createdAt = Date.now();
      await starter.start({
        kind: 'new',
        threadId,
        isEphemeral: false,
        createdAt,
        metadata,
        settings,
      });
      return { threadId, status: 'idle', createdAt, updatedAt: createdAt, metadata };
    },

    async readThread(threadId) {
      const report = await threads.query<ThreadReport>(threadId, 'thread');
      const state = {
        ...(await readHead(threadId)),
        interrupts: await pendingInterrupts(payloads, report),
      };
      return { ...threadView(threadId, report), state };
    },

    async patchMetadata(threadId, metadata): Promise<ThreadView> {
      const now = Date.now();
      const frame = await threads.update(threadId, 'patchMetadata', { metadata, now });
      return threadView(threadId, unpackFrame<ThreadReport>(frame));
    },

    async deleteThread(threadId): Promise<void> {
      const aborted = local.abortThread(threadId);
      await starter.remove(threadId);
      await payloads.removed(threadId);
      // The thread is gone and gives no sign itself: readers and waiting calls end now.
      for (const runUuid of aborted) local.settle(runUuid);
    },

    async createRun(threadId, run): Promise<RunView> {
      const frame = await withTicket(parts, threadId, run, (ticket) => {
        local.announce(run.runUuid);
        return threads.update(threadId, 'createRun', ticket);
      });
      payloads.changed(threadId);
      return runView(payloads, threadId, unpackFrame<RunReport>(frame));
    },

    async startStateless(threadId, run): Promise<RunView> {
      if (run.checkpoint) {
        const message = 'A stateless run starts on a thread of its own, which has no checkpoint.';
        throw new ServiceError('checkpoint_not_found', message);
      }
      const createdAt = await withTicket(parts, threadId, run, async (firstRun) => {
        local.announce(run.runUuid);
        await starter.start({
          kind: 'new',
          threadId,
          isEphemeral: true,
          createdAt: firstRun.createdAt,
          metadata: {},
          settings,
          firstRun,
        });
        return firstRun.createdAt;
      });
      return {
        threadId,
        runUuid: run.runUuid,
        agentId: run.agentId,
        status: 'running',
        createdAt,
        updatedAt: createdAt,
        metadata: run.metadata,
        maxAttempts: parts.restart.maxAttempts,
      };
    },

    readRun,

    async listRuns(threadId, { limit, offset }): Promise<Page<RunView>> {
      const items: RunView[] = [];
      for (;;) {
        const { runs, total } = await threads.query<{ runs: RunReport[]; total: number }>(
          threadId,
          'runs',
          { limit: limit - items.length, offset: offset + items.length },
        );
        for (const report of runs) items.push(await runView(payloads, threadId, report));
        if (runs.length === 0 || items.length >= limit || offset + items.length >= total) {
          return { items, total };
        }
      }
    },

    async cancelRun(threadId, runUuid): Promise<RunView> {
      local.forget(runUuid);
      try {
        const frame = await threads.update(threadId, 'cancelRun', { runUuid, now: Date.now() });
        local.abort(runUuid);
        return runView(payloads, threadId, unpackFrame<RunReport>(frame));
      } catch (error) {
        // The thread of a stateless run ends with it: there is nothing left to cancel.
        if (!isServiceError(error) || error.code !== 'thread_stopped') throw error;
        return readRun(threadId, runUuid);
      }
    },

    async deleteRun(threadId, runUuid): Promise<void> {
      local.forget(runUuid);
      try {
        await threads.update(threadId, 'deleteRun', { runUuid, now: Date.now() });
        payloads.changed(threadId);
      } catch (error) {
        if (!isServiceError(error) || error.code !== 'thread_stopped') throw error;
        await readRun(threadId, runUuid);
        await starter.remove(threadId);
        await payloads.removed(threadId);
      }
    },

    async awaitRun(threadId, runUuid, signal): Promise<RunView> {
      const known = local.settledView(runUuid);
      if (known) return known;
      // A run that was accepted here gives a sign when it ends; asking first would only cost a query.
      let view = local.isExpected(runUuid)
        ? await local.nextSign(runUuid, WAIT_POLL_MS, signal)
        : undefined;
      for (;;) {
        const sign = local.nextSign(runUuid, WAIT_POLL_MS, signal);
        sign.catch(() => undefined); // awaited below, unless the read fails first
        view ??= await readRun(threadId, runUuid);
        if (isSettled(view.status)) return view;
        view = await sign;
      }
    },

    readState,

    async readHistory(threadId, { limit }): Promise<HistoryEntry[]> {
      const entries: HistoryEntry[] = [];
      const selection = { ns: '', limit, content: 'json' } as const;
      for await (const read of readCheckpoints(threads, payloads, threadId, selection)) {
        entries.push(historyEntry(read));
      }
      return entries;
    },

    isHealthy: () => parts.isHealthy(),
  };
}
