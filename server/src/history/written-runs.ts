import { setTimeout as sleep } from 'node:timers/promises';
import type { RunId } from '../model/ids.ts';
import type { HistoryEvent } from './events.ts';
import type { WrittenNotice, WrittenRunsPort } from './port.ts';

/** Which runs more was written of, for readers that follow them. */
export class WrittenRuns implements WrittenRunsPort {
  readonly #waiting = new Map<RunId, Set<() => void>>();

  /** These events are written, or lost. */
  report(events: readonly HistoryEvent[]): void {
    if (this.#waiting.size === 0) return;
    for (const event of events) {
      if ('runId' in event) for (const notify of this.#waiting.get(event.runId) ?? []) notify();
    }
  }

  next(runId: RunId): WrittenNotice {
    const notice = new AbortController();
    const notify = (): void => notice.abort();
    const waiting = this.#waiting.get(runId) ?? new Set();
    waiting.add(notify);
    this.#waiting.set(runId, waiting);
    return {
      wait: (limitMs, signal) => {
        const ends = AbortSignal.any([notice.signal, signal]);
        return sleep(limitMs, undefined, { signal: ends }).catch(() => undefined);
      },
      close: () => {
        waiting.delete(notify);
        if (waiting.size === 0) this.#waiting.delete(runId);
      },
    };
  }
}
