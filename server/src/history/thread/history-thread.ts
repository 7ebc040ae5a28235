/**
 * The thread of the history: it builds and writes the records, and searches them, beside the runs. SQLite is
 * synchronous, and what guests report is parsed here.
 */
import { parentPort, workerData } from 'node:worker_threads';
import type { RunId } from '../../model/ids.ts';
import { NEXT_TURN_MS, REMOVED_PER_TURN, UPKEEP_MS } from '../limits.ts';
import type {
  HistoryMethods,
  HistoryRequest,
  HistoryResponse,
  HistoryThreadData,
} from '../protocol.ts';
import { nodeStats } from './node-stats.ts';
import { type OpenHistory, openDatabase } from './open-database.ts';
import { readInput, readLines, readOutput, readRun, readTrace } from './read-run.ts';
import type { Redact } from './redaction.ts';
import { runStats } from './run-stats.ts';
import { RunWriter } from './run-writer.ts';
import { countFacets, searchRuns } from './search-runs.ts';
import { readThreads, recentThreads } from './threads.ts';
import { removeOld } from './upkeep.ts';

const { database, detail, redact, prices, retentionMs, maxBytes } = workerData as HistoryThreadData; // given by history-connection.ts

interface Opened {
  history: OpenHistory;
  writer: RunWriter;
  methods: HistoryMethods;
}

let opened: Promise<Opened> | undefined;
/** Requests are handled one after the other. */
let last: Promise<unknown> = Promise.resolve();
let lastUpkeep = 0;

async function open(): Promise<Opened> {
  const history = await openDatabase(database);
  const writer = new RunWriter(history, { detail, ...(await redaction()), prices });
  return { history, writer, methods: methodsOf(history, writer) };
}

/** Nothing is walked where nothing is redacted. */
async function redaction(): Promise<{ redact: Redact; isRedacting: boolean }> {
  if (redact.length === 0) return { redact: (value) => value, isRedacting: false };
  const { redactionOf } = await import('./redaction.ts');
  return { redact: redactionOf(redact), isRedacting: true };
}

function methodsOf(history: OpenHistory, writer: RunWriter): HistoryMethods {
  const { db } = history;
  return {
    search: (query) => searchRuns(history, query),
    facets: (filter) => countFacets(history, filter),
    read: (runId) => readRun(db, runId),
    input: (runId) => readInput(db, runId),
    output: (runId) => readOutput(db, runId),
    trace: (runId, seq) => readTrace(db, runId, seq),
    lines: (runId) => readLines(db, runId),
    stats: (query) => runStats(history, query),
    nodeStats: (query) => nodeStats(history, query),
    threads: (threadIds) => readThreads(db, threadIds),
    recentThreads: (query) => recentThreads(history, query),
    async unsettled() {
      const rows = await db
        .selectFrom('history_runs')
        .select('run_id')
        .where('status', 'in', ['pending', 'running', 'cancelling'])
        .execute();
      return rows.map(({ run_id: runId }) => runId as RunId); // as it was written
    },
    async open() {
      // It is: nothing is handled before.
    },
    async keepUp() {
      while ((await removeSome(history)) >= REMOVED_PER_TURN);
    },
    async rest() {
      if (writer.isBusy) return false;
      opened = undefined;
      await history.close();
      return true;
    },
    close: () => history.close(),
  };
}

async function current(): Promise<Opened> {
  opened ??= open();
  opened.catch(() => (opened = undefined)); // the next request tries again
  return opened;
}

async function respond(request: HistoryRequest): Promise<HistoryResponse> {
  if ('batch' in request) {
    const { batch, events } = request;
    try {
      const { writer, history } = await current();
      await writer.write(events);
      await keepUp(history);
      return { batch };
    } catch (error) {
      return { batch, error: messageOf(error) };
    }
  }
  const { call, method, args } = request;
  try {
    const { methods } = await current();
    const act = methods[method] as (...given: readonly unknown[]) => Promise<unknown>; // the caller's types hold
    return { call, result: await act(...args) };
  } catch (error) {
    return { call, error: { code: 'history_unavailable', message: messageOf(error) } };
  }
}

async function keepUp(history: OpenHistory): Promise<void> {
  const now = Date.now();
  if (now - lastUpkeep < UPKEEP_MS) return;
  lastUpkeep = now;
  if ((await removeSome(history)) >= REMOVED_PER_TURN) lastUpkeep = now - UPKEEP_MS + NEXT_TURN_MS;
}

async function removeSome(history: OpenHistory): Promise<number> {
  const removed = await removeOld(history, { retentionMs, maxBytes }, Date.now());
  const response: HistoryResponse = { removed };
  if (removed > 0) parentPort?.postMessage(response);
  return removed;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

parentPort?.on('message', (request: HistoryRequest) => {
  last = last.then(async () => parentPort?.postMessage(await respond(request)));
});
