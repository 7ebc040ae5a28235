import type { RunId } from '../model/ids.ts';
import {
  defaultStreamLimits,
  type RunEvent,
  type StreamItem,
  type StreamLimits,
  type StreamPort,
} from './port.ts';
import { RunLog } from './run-log.ts';

/** A StreamPort in this process's memory, with its size and shutdown. */
export interface MemoryStream extends StreamPort {
  /** Total size of all logs. */
  size(): number;
  /** Ends every reader and deletes all logs. */
  shutdown(): void;
}

/** Keeps the events of running and recently ended runs in memory, bounded per run and in total. */
export function createMemoryStream(
  limits: StreamLimits = defaultStreamLimits,
  now: () => number = Date.now,
): MemoryStream {
  const logs = new Map<RunId, RunLog>();
  /** Ended runs in the order of their end, with its time. */
  const ended = new Map<RunId, number>();
  let total = 0;
  const sweeper = setInterval(sweep, Math.max(1_000, limits.keepEndedMs / 10));
  sweeper.unref();

  function remove(runId: RunId): void {
    const log = logs.get(runId);
    if (!log) return;
    total -= log.size;
    logs.delete(runId);
    ended.delete(runId);
    log.close();
  }

  function sweep(): void {
    const limit = now() - limits.keepEndedMs;
    for (const [runId, endedAt] of ended) {
      if (endedAt > limit) return;
      remove(runId);
    }
  }

  /**
   * Above the total limit, ended runs are removed, the earliest end first; then the oldest runs lose their oldest
   * events.
   */
  function shed(): void {
    for (const runId of ended.keys()) {
      if (total <= limits.maxSizeTotal) return;
      remove(runId);
    }
    for (const log of logs.values()) {
      while (total > limits.maxSizeTotal && log.count > 1) total -= log.dropOldest();
    }
  }

  async function* follow(
    log: RunLog,
    after: number,
    signal: AbortSignal,
  ): AsyncGenerator<StreamItem> {
    let cursor = after;
    while (!signal.aborted) {
      if (log.lostThrough > cursor) {
        cursor = log.lostThrough;
        yield { kind: 'gap', lostThrough: cursor };
        continue;
      }
      const event = log.firstAfter(cursor);
      if (event) {
        cursor = event.id;
        yield { kind: 'event', event };
      } else if (log.isClosed) return;
      else await log.changed(signal);
    }
  }

  return {
    open(runId) {
      if (!logs.has(runId)) logs.set(runId, new RunLog());
    },
    append(runId, event: RunEvent) {
      const log = logs.get(runId);
      if (!log || log.isClosed) return;
      total += log.append(event);
      while (
        log.count > 1 &&
        (log.count > limits.maxEventsPerRun || log.size > limits.maxSizePerRun)
      ) {
        total -= log.dropOldest();
      }
      if (total > limits.maxSizeTotal) shed();
    },
    close(runId) {
      const log = logs.get(runId);
      if (!log || log.isClosed) return;
      log.close();
      ended.set(runId, now());
      sweep();
    },
    remove,
    lastId: (runId) => logs.get(runId)?.lastId ?? 0,
    read(runId, after, signal) {
      const log = logs.get(runId);
      if (!log) return onlyGap(after === 'now' ? 0 : after);
      return follow(log, after === 'now' ? log.lastId : after, signal);
    },
    size: () => total,
    shutdown() {
      clearInterval(sweeper);
      for (const runId of logs.keys()) remove(runId);
    },
  };
}

async function* onlyGap(lostThrough: number): AsyncGenerator<StreamItem> {
  yield { kind: 'gap', lostThrough };
}
