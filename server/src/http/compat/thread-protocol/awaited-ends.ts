import type { RunView } from '../../../model/run/run.ts';

/** How many threads are remembered; the oldest are forgotten. */
export const AWAITED_ENDS = 10_000;

/** How long after its end a client may still open the stream on which it waits for it. */
const LATE_MS = 5_000;
/** How long before a run is created a client may have opened the stream that reports its end. */
const EARLY_MS = 10_000;

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

  has({ threadId, runUuid, updatedAt }: RunKeys & Pick<RunView, 'updatedAt'>): boolean {
    return this.#byThread.get(threadId) === runUuid && Date.now() - updatedAt < LATE_MS;
  }

  /** A stream has reported the end. One that was open long before belongs to another client. */
  delivered(
    { threadId, runUuid, createdAt }: RunKeys & Pick<RunView, 'createdAt'>,
    openedAt: number,
  ): void {
    const isOwn = openedAt > createdAt - EARLY_MS;
    if (isOwn && this.#byThread.get(threadId) === runUuid) this.#byThread.delete(threadId);
  }
}
