import { ServiceError } from '../../errors/service-error.ts';

interface Waiter<T> {
  resolve(value: T): void;
  reject(error: Error): void;
}

/** A queue of waiters for a guest, first come first served. */
export class WaitQueue<T> {
  readonly #waiters = new Set<Waiter<T>>();

  get size(): number {
    return this.#waiters.size;
  }

  /** Resolves when granted; rejects with `guest_unavailable` if the signal fires or the limit, if any, passes first. */
  wait(signal: AbortSignal, limitMs?: number): Promise<T> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
        this.#waiters.delete(waiter);
      };
      const waiter: Waiter<T> = {
        resolve: (value) => {
          leave();
          resolve(value);
        },
        reject: (error) => {
          leave();
          reject(error);
        },
      };
      const give = (why: string) => () => waiter.reject(new ServiceError('guest_unavailable', why));
      const abort = give('The run was stopped before it had a guest.');
      const isLate = give('No guest was free in time.');
      const timer = limitMs === undefined ? undefined : setTimeout(isLate, limitMs);
      this.#waiters.add(waiter);
      signal.addEventListener('abort', abort, { once: true });
      if (signal.aborted) abort();
    });
  }

  /** False when there is no waiter. */
  grantOne(value: T): boolean {
    const [first] = this.#waiters;
    first?.resolve(value);
    return first !== undefined;
  }

  grantAll(value: T): void {
    for (const waiter of this.#waiters) waiter.resolve(value);
  }

  failAll(error: Error): void {
    for (const waiter of this.#waiters) waiter.reject(error);
  }
}
