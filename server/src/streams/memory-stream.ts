import type { RunUuid } from '../model/ids.ts';
import type { StreamLimits } from './limits.ts';
import { defaultStreamLimits } from './limits.ts';
import type { RunEvent, StreamItem, StreamPort } from './port.ts';
import { RunLog } from './run-log.ts';

/** A StreamPort in this process's memory, with its upkeep to end. */
export interface MemoryStream extends StreamPort {
  /** What all logs hold together. */
  size(): number;
  /** Ends every reader and forgets everything. */
  shutdown(): void;
}

/** Keeps the events of running and lately ended runs in memory, bounded per run and in total. */
export function createMemoryStream(
  limits: StreamLimits = defaultStreamLimits,
  now: () => number = Date.now,
): MemoryStream {
  const logs = new Map<RunUuid, RunLog>();
  /** Ended runs in the order of their end, with the time of it. */
  const ended = new Map<RunUuid, number>();
  let total = 0;
  const sweeper = setInterval(sweep, Math.max(1_000, limits.keepEndedMs / 10));
  sweeper.unref();

  function remove(runUuid: RunUuid): void {
    const log = logs.get(runUuid);
    if (!log) return;
    total -= log.size;
    logs.delete(runUuid);
    ended.delete(runUuid);
    log.close();
  }

  function sweep(): void {
    const limit = now() - limits.keepEndedMs;
    for (const [runUuid, endedAt] of ended) {
      if (endedAt > limit) return;
      remove(runUuid);
    }
  }

  /** Over the total, ended runs go first, oldest end first; then the oldest runs lose their oldest events. */
  function shed(): void {
    for (const runUuid of ended.keys()) {
      if (total <= limits.maxSizeTotal) return;
      remove(runUuid);
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
    open(runUuid) {
      if (!logs.has(runUuid)) logs.set(runUuid, new RunLog());
    },
    append(runUuid, event: RunEvent) {
      const log = logs.get(runUuid);
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
    close(runUuid) {
      const log = logs.get(runUuid);
      if (!log || log.isClosed) return;
      log.close();
      ended.set(runUuid, now());
      sweep();
    },
    remove,
    lastId: (runUuid) => logs.get(runUuid)?.lastId ?? 0,
    read(runUuid, after, signal) {
      const log = logs.get(runUuid);
      if (!log) return onlyGap(after === 'now' ? 0 : after);
      return follow(log, after === 'now' ? log.lastId : after, signal);
    },
    size: () => total,
    shutdown() {
      clearInterval(sweeper);
      for (const runUuid of logs.keys()) remove(runUuid);
    },
  };
}

async function* onlyGap(lostThrough: number): AsyncGenerator<StreamItem> {
  yield { kind: 'gap', lostThrough };
}
