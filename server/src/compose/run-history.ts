import { setTimeout } from 'node:timers/promises';
import type { HistoryConfig } from '../config/history-config.ts';
import { hasSqlite, OLDEST_SQLITE_NODE } from '../config/sqlite-runtime.ts';
import type { Engine } from '../engine/engine.ts';
import { isServiceError } from '../errors/service-error.ts';
import type { FoundRunState } from '../history/events.ts';
import { originOf } from '../history/run-origin.ts';
import type { RunHistory } from '../history/open-history.ts';
import type { HistoryThreadData } from '../history/protocol.ts';
import type { RecordedOutput } from '../history/recorder.ts';
import { compositeRunId, parseRunId, type RunUuid, type ThreadId } from '../model/ids.ts';
import { isSettled, type RunView } from '../model/run/run.ts';
import type { Logger } from '../observability/logger.ts';
import type { Metrics } from '../observability/metrics.ts';

/** Threads that the history learns of at a start. */
const SEEN_THREADS = 10_000;
const SEEN_AT_ONCE = 500;
/** Threads that are looked through after a kill, and the newest runs of each. */
const RECENT_THREADS = 20;
const RECENT_RUNS = 20;

/** How long after the start the history is completed. */
const CATCH_UP_AFTER_MS = 5_000;

/** Runs whose thread is asked at once. */
const ASKED_AT_ONCE = 4;

interface RunKey {
  threadId: ThreadId;
  runUuid: RunUuid;
}

export interface RunHistoryDeps {
  output: RecordedOutput;
  metrics: Metrics;
  logger: Logger;
}

/** The history of the configuration; its modules are loaded only where there is one. */
export async function openRunHistory(
  config: HistoryConfig | undefined,
  { output, metrics, logger }: RunHistoryDeps,
): Promise<RunHistory | undefined> {
  if (!config) return undefined;
  if (config.database.provider === 'sqlite' && !hasSqlite()) {
    const warning = `No run history: SQLite needs Node ${OLDEST_SQLITE_NODE} or newer, and this is ${process.versions.node}.`;
    logger.warn({ warning }, 'run history');
    return undefined;
  }
  const { openHistory } = await import('../history/open-history.ts');
  const { database, detail, retentionMs, maxBytes, redact, prices } = config;
  return openHistory(
    {
      database: await databaseOf(database),
      ...{ detail, retentionMs, maxBytes, redact: [...redact], prices: [...prices] },
    },
    {
      output,
      logger,
      metrics: { dropped: metrics.historyEventsDropped, removed: metrics.historyRunsRemoved },
    },
  );
}

async function databaseOf(
  database: HistoryConfig['database'],
): Promise<HistoryThreadData['database']> {
  if (database.provider === 'sqlite') return database;
  const { postgresOptions } = await import('../store/postgres-options.ts');
  const { provider, connectionString } = database;
  return { provider, options: postgresOptions({ connectionString }) };
}

/**
 * Asks the threads of runs that had not settled when the service was last stopped or killed: what ended unseen is
 * recorded as it ended, and what no longer exists is removed. Then, after a kill, what ended in its last moments.
 */
export async function catchUp(
  history: RunHistory,
  engine: Engine,
  { wasKilled, logger, signal }: { wasKilled: boolean; logger: Logger; signal: AbortSignal },
): Promise<void> {
  try {
    // Nothing waits for it, and a start has enough to do.
    await setTimeout(CATCH_UP_AFTER_MS, undefined, { signal, ref: false });
    await seeThreads(history, engine, signal);
    const left = (await history.unsettled()).flatMap((runId) => parseRunId(runId) ?? []);
    await eachOf(left, signal, (key) => findRun(history, engine, key));
    if (!wasKilled) return;
    const recent = await history.reads.recentThreads({ limit: RECENT_THREADS });
    const started = await engine.threads.search({ limit: RECENT_THREADS });
    const threads = [...left, ...recent, ...started.items].map(({ threadId }) => threadId);
    await eachOf([...new Set(threads)], signal, (id) => findMissed(history, engine, id, signal));
  } catch (error) {
    if (!signal.aborted) logger.warn({ err: error }, 'run history was not completed');
  }
}

async function findRun(history: RunHistory, engine: Engine, key: RunKey): Promise<void> {
  const runId = compositeRunId(key.threadId, key.runUuid);
  try {
    history.recorder.found(runId, foundState(await engine.runs.read(key.threadId, key.runUuid)));
  } catch (error) {
    if (!isGone(error)) throw error;
    history.recorder.runDeleted(runId);
  }
}

/** The newest runs of a thread that have no record: those that have settled, and later those that go on. */
async function findMissed(
  history: RunHistory,
  engine: Engine,
  threadId: ThreadId,
  signal: AbortSignal,
): Promise<void> {
  try {
    const listed = await engine.runs.list(threadId, { limit: RECENT_RUNS, offset: 0 });
    const runs: RunView[] = [];
    for await (const run of listed.items) runs.push(run);
    const runIds = runs.map(({ runUuid }) => compositeRunId(threadId, runUuid));
    const known = await history.reads.search({ limit: RECENT_RUNS, runIds });
    const recorded = new Set(known.map(({ run }) => run.runId));
    for (const run of runs) {
      if (recorded.has(compositeRunId(threadId, run.runUuid))) continue;
      if (isSettled(run.status)) recordMissed(history, run);
      else void findSettled(history, engine, run, signal);
    }
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

/** A run whose attempt ended before the kill may settle only now: then nothing begins that would be recorded. */
async function findSettled(
  history: RunHistory,
  engine: Engine,
  { threadId, runUuid }: RunView,
  signal: AbortSignal,
): Promise<void> {
  try {
    const settled = await engine.runs.whenSettled(threadId, runUuid, signal);
    const recorded = await history.reads.read(compositeRunId(threadId, runUuid));
    if (!recorded) recordMissed(history, settled);
  } catch {
    // It was deleted, or the service stops: it stays without a record.
  }
}

function recordMissed(history: RunHistory, run: RunView): void {
  const asked = { start: { kind: 'proceed' as const }, principal: {} };
  const runId = compositeRunId(run.threadId, run.runUuid);
  history.recorder.missed(runId, originOf(run, asked), foundState(run));
}

function foundState({ status, updatedAt, attempt = 1, output, error }: RunView): FoundRunState {
  // One that was cancelled while it was queued has no attempt, which its thread does not tell.
  const hasBegun = status !== 'pending' && status !== 'cancelled';
  return {
    ...{ status, at: updatedAt },
    ...((hasBegun || attempt > 1) && { attempt }),
    ...(output !== undefined && { output }),
    ...(error && { error }),
  };
}

function isGone(error: unknown): boolean {
  return isServiceError(error) && /^(thread|run)_not_found$/.test(error.code);
}

/** Some at once, until the service stops. */
async function eachOf<T>(
  items: readonly T[],
  signal: AbortSignal,
  act: (item: T) => Promise<void>,
): Promise<void> {
  const left = [...items];
  const actOnNext = async (): Promise<void> => {
    for (let item = left.pop(); item !== undefined && !signal.aborted; item = left.pop())
      await act(item);
  };
  await Promise.all(Array.from({ length: ASKED_AT_ONCE }, actOnNext));
}

/** The newest threads can be listed by their activity, also those that are older than their history. */
async function seeThreads(history: RunHistory, engine: Engine, signal: AbortSignal): Promise<void> {
  let cursor: string | undefined;
  for (let seen = 0; seen < SEEN_THREADS && !signal.aborted; seen += SEEN_AT_ONCE) {
    const page = await engine.threads
      .search({ limit: SEEN_AT_ONCE, ...(cursor !== undefined && { cursor }) })
      .catch(() => undefined);
    for (const { threadId, createdAt } of page?.items ?? [])
      history.recorder.threadSeen(threadId, createdAt);
    cursor = page?.next;
    if (cursor === undefined) return;
  }
}
