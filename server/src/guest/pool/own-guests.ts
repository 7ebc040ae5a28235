import type { ThreadId } from '../../model/ids.ts';
import type { GuestProcess } from '../process/guest-process.ts';
import type { GuestLimits } from '../limits.ts';
import { WaitQueue } from './wait-queue.ts';
import { WarmGuest, type WarmGuestOptions } from './warm-guest.ts';

export interface OwnGuestsOptions {
  limits: Pick<GuestLimits, 'isolatedAtOnce' | 'threadIdleMs'>;
  start: (signal: AbortSignal) => Promise<GuestProcess>;
}

/** A thread's guest without a run, until it is used again or its idle time is over. */
interface IdleGuest {
  readonly guest: WarmGuest;
  readonly timer: NodeJS.Timeout;
}

/**
 * Guests that serve one run, or the runs of one thread. At most `isolatedAtOnce` exist: further runs wait, and idle
 * guests of threads are ended for them, the one that has been idle for longest first.
 */
export class OwnGuests {
  readonly #options: OwnGuestsOptions;
  readonly #waiting = new WaitQueue<undefined>();
  readonly #ofThreads = new Map<ThreadId, WarmGuest>();
  /** In the order in which they became idle. */
  readonly #idle = new Map<ThreadId, IdleGuest>();
  /** Guests that are ending and will free their slot. */
  readonly #ending = new Set<WarmGuest>();
  #slots = 0;
  #generation = 0;

  constructor(options: OwnGuestsOptions) {
    this.#options = options;
  }

  /** Waits for a slot for a guest; `leave` frees it if none is started. */
  async enter(signal: AbortSignal): Promise<void> {
    if (this.#slots < this.#options.limits.isolatedAtOnce) {
      this.#slots += 1;
      return;
    }
    // Without a limit: the runs of these guests may take long, and waiting for them must not cost an attempt.
    const granted = this.#waiting.wait(signal);
    this.#endIdleForWaiting();
    await granted;
  }

  /** Passes the slot to the next waiter. */
  leave(): void {
    if (!this.#waiting.grantOne(undefined)) this.#slots -= 1;
  }

  /** A guest for one run, in a slot taken by `enter`; closed when it is released. */
  async startForRun(signal: AbortSignal): Promise<WarmGuest> {
    const guest = await this.#start(signal, {
      isShared: false,
      onIdle: () => this.#willEnd(guest),
    });
    guest.retire();
    return guest;
  }

  /** A guest for the runs of a thread, in a slot taken by `enter`. */
  async startForThread(threadId: ThreadId, signal: AbortSignal): Promise<WarmGuest> {
    const generation = this.#generation;
    const guest = await this.#start(signal, {
      onIdle: () => this.#becomesIdle(threadId, guest),
    });
    // The source changed while it was starting, or two runs of the thread began at once: it serves this run only.
    if (generation !== this.#generation || this.#usableOf(threadId)) guest.retire();
    else this.#ofThreads.set(threadId, guest);
    guest.process.onExit(() => this.#forget(threadId, guest));
    return guest;
  }

  /** The warm guest of a thread, if it has one. Release it afterwards. */
  takeOfThread(threadId: ThreadId): WarmGuest | undefined {
    const guest = this.#usableOf(threadId);
    if (!guest) return undefined;
    this.#wake(threadId);
    guest.take();
    return guest;
  }

  /** Threads get fresh guests from now on; runs in flight finish on their guests. */
  retireAll(): void {
    this.#generation += 1;
    const guests = [...this.#ofThreads];
    this.#ofThreads.clear();
    for (const [threadId, guest] of guests) this.#end(threadId, guest);
  }

  failWaiting(error: Error): void {
    this.#waiting.failAll(error);
  }

  async #start(signal: AbortSignal, options: WarmGuestOptions): Promise<WarmGuest> {
    try {
      const guest = new WarmGuest(await this.#options.start(signal), options);
      guest.take();
      guest.process.onExit(() => this.leave());
      return guest;
    } catch (error) {
      this.leave();
      throw error;
    }
  }

  #usableOf(threadId: ThreadId): WarmGuest | undefined {
    const guest = this.#ofThreads.get(threadId);
    return guest?.isRetired === false && !guest.process.hasExited ? guest : undefined;
  }

  #becomesIdle(threadId: ThreadId, guest: WarmGuest): void {
    if (guest.isRetired) {
      this.#willEnd(guest);
      return;
    }
    const end = (): void => this.#end(threadId, guest);
    const timer = setTimeout(end, this.#options.limits.threadIdleMs).unref();
    this.#idle.set(threadId, { guest, timer });
    this.#endIdleForWaiting();
  }

  /** Ends one idle guest for each waiter beyond the slots that are about to be free. */
  #endIdleForWaiting(): void {
    for (const [threadId, { guest }] of this.#idle) {
      if (this.#waiting.size <= this.#ending.size) return;
      this.#end(threadId, guest);
    }
  }

  #end(threadId: ThreadId, guest: WarmGuest): void {
    this.#forget(threadId, guest);
    if (guest.active === 0) this.#willEnd(guest);
    guest.retire();
  }

  #willEnd(guest: WarmGuest): void {
    this.#ending.add(guest);
    guest.process.onExit(() => this.#ending.delete(guest));
  }

  #forget(threadId: ThreadId, guest: WarmGuest): void {
    if (this.#ofThreads.get(threadId) === guest) this.#ofThreads.delete(threadId);
    if (this.#idle.get(threadId)?.guest === guest) this.#wake(threadId);
  }

  #wake(threadId: ThreadId): void {
    clearTimeout(this.#idle.get(threadId)?.timer);
    this.#idle.delete(threadId);
  }
}
