import { isServiceError } from '../../errors/service-error.ts';
import type { ThreadId } from '../../model/ids.ts';

/** Owners that are remembered; beyond them the oldest go. */
const REMEMBERED_OWNERS = 10_000;

/** The `sub` that created a thread; undefined for one that nobody owns. */
export type Owner = string | undefined;

/**
 * Who owns which thread, asked once. A thread keeps its owner as long as it is there, and its id may be given to
 * somebody else's thread afterwards: so only what this process alone removes may be remembered.
 */
export class ThreadOwners {
  /** `isGoing`: another thread may have the id at any moment. */
  readonly #known = new Map<ThreadId, { owner: Owner } | 'isGoing'>();
  readonly #read: (threadId: ThreadId) => Promise<Owner>;
  readonly #isRemembered: boolean;
  #removals = 0;

  /** `read` rejects with `thread_not_found`. `isRemembered: false` where others remove threads, too. */
  constructor(read: (threadId: ThreadId) => Promise<Owner>, isRemembered: boolean) {
    this.#read = read;
    this.#isRemembered = isRemembered;
  }

  async ownerOf(threadId: ThreadId): Promise<Owner> {
    const known = this.#known.get(threadId);
    if (known && known !== 'isGoing') return known.owner;
    const removals = this.#removals;
    const owner = await this.#read(threadId);
    // What was read before a removal may be about the thread that was removed.
    const isSure = !known && removals === this.#removals;
    if (this.#isRemembered && isSure) this.#remember(threadId, { owner });
    return owner;
  }

  /** Removes a thread. One that could not be removed in time may go later. */
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
