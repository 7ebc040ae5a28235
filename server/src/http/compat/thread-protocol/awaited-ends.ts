import type { RunView } from '../../../model/run/run.ts';

/** How many threads are remembered; the oldest are forgotten. */
export const AWAITED_ENDS = 10_000;

type RunKeys = Pick<RunView, 'threadId' | 'runUuid'>;

/**
 * The runs that clients started with a command and whose end no stream has reported yet. A client opens its streams
 * beside the command, so a run may be over before a stream is open; without this it would wait for the end for ever.
 */
export class AwaitedEnds {
  readonly #byThread = new Map<string, string>();

  started({ threadId, runUuid }: RunKeys): void {
    this.#byThread.delete(threadId);
    this.#byThread.set(threadId, runUuid);
    const [oldest] = this.#byThread.keys();
    if (this.#byThread.size > AWAITED_ENDS && oldest !== undefined) this.#byThread.delete(oldest);
  }

  has({ threadId, runUuid }: RunKeys): boolean {
    return this.#byThread.get(threadId) === runUuid;
  }

  delivered(run: RunKeys): void {
    if (this.has(run)) this.#byThread.delete(run.threadId);
  }
}
