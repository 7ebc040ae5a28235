import pLimit from 'p-limit';

/** Finds the addresses of a name; rejects when there are none. */
export type Resolve = (name: string, signal?: AbortSignal) => Promise<readonly ResolvedAddress[]>;

/** An address as the system returns it. */
export interface ResolvedAddress {
  address: string;
  family: number;
}

/** Looks names up, a bounded number of them at once; further ones wait in order. */
export class Lookups {
  readonly #resolve: Resolve;
  readonly #limit: ReturnType<typeof pLimit>;

  constructor(atOnce: number, resolve: Resolve) {
    this.#limit = pLimit(atOnce);
    this.#resolve = resolve;
  }

  /** The addresses of a name. If `signal` fires before its turn, it rejects without a lookup. */
  addresses(name: string, signal: AbortSignal): Promise<readonly ResolvedAddress[]> {
    return this.#limit(() => {
      signal.throwIfAborted();
      return this.#resolve(name, signal);
    });
  }
}
