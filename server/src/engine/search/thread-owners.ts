import { isServiceError } from '../../errors/service-error.ts';
import type { ThreadId } from '../../model/ids.ts';

/** At most this many owners are remembered; the oldest are dropped first. */
const REMEMBERED_OWNERS = 10_000;

/** The `sub` that created a thread; undefined for a thread without an owner. */
export type Owner = string | undefined;

/**
 * The owners of threads, each read once. A thread keeps its owner for as long as it exists, and its id may later be
 * given to a thread of another user, so owners are remembered only when this process alone removes threads.
 */
export class ThreadOwners {
  /** `isGoing`: another thread may get the id at any time. */
  readonly #known = new Map<ThreadId, { owner: Owner } | 'isGoing'>();
  readonly #read: (threadId: ThreadId) => Promise<Owner>;
  readonly #isRemembered: boolean;
  #removals = 0;

  /** `read` rejects with `thread_not_found`. `isRemembered: false` where other processes remove threads, too. */
  constructor(read: (threadId: ThreadId) => Promise<Owner>, isRemembered: boolean) {
    this.#read = read;
    this.#isRemembered = isRemembered;
  }

  async ownerOf(threadId: ThreadId): Promise<Owner> {
    const known = this.#known.get(threadId);
    if (known && known !== 'isGoing') return known.owner;
    const removals = this.#removals;
    const owner = await this.#read(threadId);
    // An owner that was read before a removal may belong to the removed thread.
    const isSure = !known && removals === this.#removals;
    if (this.#isRemembered && isSure) this.#remember(threadId, { owner });
    return owner;
  }

  /** Removes a thread. A thread whose removal failed or timed out may still be removed later. */
  async removing(threadId: ThreadId, remove: () => Promise<void>): Promise<void> {
    this.#removals += 1;
    this.#remember(threadId, 'isGoing');
    try {
      await remove();
    } catch (error) {
      if (!isServiceError(error) || error.code !== 'thread_not_found') throw error;
      this.#known.delete(threadId);
      throw error;
    }
    this.#removals += 1;
    this.#known.delete(threadId);
  }

  #remember(threadId: ThreadId, known: { owner: Owner } | 'isGoing'): void {
    this.#known.set(threadId, known);
    const oldest = this.#known.keys().next().value;
    if (this.#known.size > REMEMBERED_OWNERS && oldest !== undefined) this.#known.delete(oldest);
  }
}
