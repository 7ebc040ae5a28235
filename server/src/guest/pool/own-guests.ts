import type { ThreadId } from '../../model/ids.ts';
import type { GuestProcess } from '../process/guest-process.ts';
import type { GuestLimits } from '../limits.ts';
import { WaitQueue } from './wait-queue.ts';
import { WarmGuest, type WarmGuestOptions } from './warm-guest.ts';

export interface OwnGuestsOptions {
  limits: Pick<GuestLimits, 'isolatedAtOnce' | 'threadIdleMs'>;
  start: (signal: AbortSignal) => Promise<GuestProcess>;
}

/** A thread's guest without a run, until it is wanted again or its time is over. */
interface IdleGuest {
  readonly guest: WarmGuest;
  readonly timer: NodeJS.Timeout;
}

/**
 * Guests that serve one run, or the runs of one thread. At most a few at once: others wait, and a thread's guest without
 * a run ends for them, the one that is idle for longest first.
 */
export class OwnGuests {
  readonly #options: OwnGuestsOptions;
  readonly #waiting = new WaitQueue<undefined>();
  readonly #ofThreads = new Map<ThreadId, WarmGuest>();
  /** In the order in which they became idle. */
  readonly #idle = new Map<ThreadId, IdleGuest>();
  /** Guests that end, and so give their place away. */
  readonly #ending = new Set<WarmGuest>();
  #places = 0;
  #generation = 0;

  constructor(options: OwnGuestsOptions) {
    this.#options = options;
  }

  /** A place for a guest; `leave` gives it back where none is started. */
  async enter(signal: AbortSignal): Promise<void> {
    if (this.#places < this.#options.limits.isolatedAtOnce) {
      this.#places += 1;
      return;
    }
    // However long: the runs that have the guests may last, and waiting for them must not cost an attempt.
    const granted = this.#waiting.wait(signal);
    this.#endIdleForWaiting();
    await granted;
  }

  /** Hands the place on to the next in line. */
  leave(): void {
    if (!this.#waiting.grantOne(undefined)) this.#places -= 1;
  }

  /** A guest for one run, in a place that was entered: closed when it is released. */
  async startForRun(signal: AbortSignal): Promise<WarmGuest> {
    const guest = await this.#start(signal, {
      isShared: false,
      onIdle: () => this.#willEnd(guest),
    });
    guest.retire();
    return guest;
  }

  /** A guest for the runs of a thread, in a place that was entered. */
  async startForThread(threadId: ThreadId, signal: AbortSignal): Promise<WarmGuest> {
    const generation = this.#generation;
    const guest = await this.#start(signal, {
      onIdle: () => this.#becomesIdle(threadId, guest),
    });
    // The source changed while it was starting, or two runs of the thread began at once: it is for this run alone.
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

  /** Threads get fresh guests from now on; runs in flight finish where they are. */
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

  /** As many as wait beyond the places that are about to be free. */
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
