import { withTimeLimit } from '../concurrency/concurrency.ts';
import type { RunId } from '../model/ids.ts';
import { HistoryConnection } from './history-connection.ts';
import { CLOSE_LIMIT_MS, IDLE_UPKEEP_MS } from './limits.ts';
import type { HistoryReads } from './port.ts';
import { costOf } from './prices.ts';
import type { HistoryThreadData } from './protocol.ts';
import { type RecordedOutput, RunRecorder } from './recorder.ts';
import { usageOf } from './thread/usage.ts';
import { WrittenRuns } from './written-runs.ts';

export interface HistoryParts {
  output: RecordedOutput;
  logger: { warn(fields: object, message: string): void };
  metrics: {
    dropped: { inc(count?: number): void };
    removed: { inc(count?: number): void };
  };
}

/** The history of this service. */
export interface RunHistory {
  readonly recorder: RunRecorder;
  readonly reads: HistoryReads;
  /** Reports of which runs more was written, to those who follow their traces. */
  readonly written: WrittenRuns;
  /** What a model call cost, by the prices of the settings; undefined without a price for the model. */
  costOf(model: string | undefined, usage: unknown): number | undefined;
  /** Runs that had not settled when they were last recorded. */
  unsettled(): Promise<RunId[]>;
  /** Writes what was gathered, and closes the database. */
  close(): Promise<void>;
}

/** The history of the settings. Its thread and its database are opened when they are first needed. */
export function openHistory(data: HistoryThreadData, parts: HistoryParts): RunHistory {
  const { output, logger, metrics } = parts;
  const connection = new HistoryConnection(data, {
    onLost(reason, events) {
      logger.warn({ reason }, 'run history was not written');
      recorder.lost(events);
    },
    onRemoved: (runs) => metrics.removed.inc(runs),
  });
  // Figures of a million runs take seconds: a thread of their own, so that searches and writes do not wait for them.
  const figures = new HistoryConnection(data, {
    onLost: () => undefined, // it writes nothing
    onRemoved: () => undefined,
  });
  const written = new WrittenRuns();
  const recorder = new RunRecorder({
    async write(events) {
      await connection.write(events);
      written.report(events);
    },
    output,
    dropped: metrics.dropped,
  });
  // A service without runs keeps nothing longer either. This timer does not keep the process alive.
  const upkeep = setInterval(() => {
    void connection.call('keepUp').catch(() => undefined); // the next one may
  }, IDLE_UPKEEP_MS).unref();
  return {
    recorder,
    written,
    reads: readsOf({ connection, figures, recorder }),
    costOf(model, usage) {
      const tokens = usageOf(usage);
      return tokens && costOf(data.prices, model, tokens);
    },
    unsettled: async () => (await connection.call('unsettled')) as RunId[], // as they were recorded
    async close() {
      clearInterval(upkeep);
      await withTimeLimit(recorder.flush(), CLOSE_LIMIT_MS, 'The last writes').catch(
        () => undefined,
      );
      await Promise.all([connection.close(), figures.close()]);
    },
  };
}

interface ReadParts {
  connection: HistoryConnection;
  figures: HistoryConnection;
  recorder: RunRecorder;
}

/** Reads that see what happened before them. */
function readsOf({ connection, figures, recorder }: ReadParts): HistoryReads {
  const after = <A extends unknown[], R>(read: (...args: A) => Promise<R>) => {
    return async (...args: A): Promise<R> => {
      // The thread handles requests in their order: it is enough that the events are on their way.
      void recorder.flush();
      return read(...args);
    };
  };
  let isMade = false;
  const afterWrites = <A extends unknown[], R>(read: (...args: A) => Promise<R>) => {
    return async (...args: A): Promise<R> => {
      // Another thread reads: what it is to see has to be written, into tables that are there.
      await recorder.flush();
      if (!isMade) await connection.call('open');
      isMade = true;
      return read(...args);
    };
  };
  return {
    search: after((query) => connection.call('search', query)),
    facets: after((filter) => connection.call('facets', filter)),
    read: after((runId) => connection.call('read', runId)),
    input: after((runId) => connection.call('input', runId)),
    output: after((runId) => connection.call('output', runId)),
    trace: after((runId, seq) => connection.call('trace', runId, seq)),
    lines: after((runId) => connection.call('lines', runId)),
    stats: afterWrites((query) => figures.call('stats', query)),
    nodeStats: afterWrites((query) => figures.call('nodeStats', query)),
    threads: after((threadIds) => connection.call('threads', threadIds)),
    recentThreads: after((query) => connection.call('recentThreads', query)),
  };
}
