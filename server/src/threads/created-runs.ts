import { EventEmitter, once, setMaxListeners } from 'node:events';
import type { ThreadId } from '../model/ids.ts';

/** Announces the runs that this process creates, for those who follow a thread. */
export class CreatedRuns {
  readonly #events = new EventEmitter();

  constructor() {
    setMaxListeners(0, this.#events); // one listener for every open stream of a thread
  }

  announce(threadId: ThreadId): void {
    this.#events.emit(eventOf(threadId));
  }

  /**
   * Resolves when a run is created on the thread from now on, or when the time is over: another process may create runs,
   * too. Resolves at once when the signal fires.
   */
  async next(threadId: ThreadId, limitMs: number, signal: AbortSignal): Promise<void> {
    const ends = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
    await once(this.#events, eventOf(threadId), { signal: ends }).catch(() => undefined);
  }
}

/** A thread may have any name, also that of an event with a meaning for Node: `error`. */
function eventOf(threadId: ThreadId): string {
  return `created on ${threadId}`;
}
