import type { HistoryConfig } from '../config/history-config.ts';
import type { Engine } from '../engine/engine.ts';
import { isServiceError } from '../errors/service-error.ts';
import type { RunHistory } from '../history/open-history.ts';
import type { HistoryDatabase } from '../history/protocol.ts';
import type { RecordedOutput } from '../history/recorder.ts';
import { parseRunId } from '../model/ids.ts';
import type { Logger } from '../observability/logger.ts';
import type { Metrics } from '../observability/metrics.ts';

/** Threads that a new history learns of. */
const SEEN_THREADS = 10_000;
const SEEN_AT_ONCE = 500;

/** Runs whose thread is asked at once. */
const ASKED_AT_ONCE = 4;

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

async function databaseOf(database: HistoryConfig['database']): Promise<HistoryDatabase> {
  if (database.provider === 'sqlite') return database;
  const { postgresOptions } = await import('../store/postgres-options.ts');
  const { provider, connectionString } = database;
  return { provider, options: postgresOptions({ connectionString }) };
}

/**
 * Asks the threads of runs that had not settled when the service was last stopped or killed: what ended unseen is
 * recorded as it ended, and what no longer exists is removed.
 */
export async function catchUp(
  history: RunHistory,
  engine: Engine,
  { logger, signal }: { logger: Logger; signal: AbortSignal },
): Promise<void> {
  const isKnown = history.hasThreads().catch(() => true);
  if (!(await isKnown)) await seeThreads(history, engine, signal);
  const left = await history.unsettled().catch((error: unknown) => {
    logger.warn({ err: error }, 'run history was not completed');
    return [];
  });
  const askNext = async (): Promise<void> => {
    for (let runId = left.pop(); runId !== undefined && !signal.aborted; runId = left.pop()) {
      const key = parseRunId(runId);
      if (!key) continue;
      try {
        const { status, updatedAt } = await engine.runs.read(key.threadId, key.runUuid);
        history.recorder.found(runId, status, updatedAt);
      } catch (error) {
        const isGone = isServiceError(error) && /^(thread|run)_not_found$/.test(error.code);
        if (isGone) history.recorder.runDeleted(runId);
        else logger.warn({ err: error, run_id: runId }, 'run history was not completed');
      }
    }
  };
  await Promise.all(Array.from({ length: ASKED_AT_ONCE }, askNext));
}

/** Threads that are older than their history: the newest of them can be listed by their activity. */
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
