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
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = this.#waiting.get(runId) ?? new Set();
    waiting.add(resolve);
    this.#waiting.set(runId, waiting);
    return {
      async wait(limitMs, signal) {
        if (signal.aborted) return;
        const timer = setTimeout(resolve, limitMs);
        const stop = (): void => resolve();
        signal.addEventListener('abort', stop);
        await promise;
        signal.removeEventListener('abort', stop);
        clearTimeout(timer);
      },
      close: () => {
        waiting.delete(resolve);
        if (waiting.size === 0) this.#waiting.delete(runId);
      },
    };
  }
}
