import pLimit from 'p-limit';

/** Finds the addresses of a name; rejects when there are none. */
export type Resolve = (name: string, signal?: AbortSignal) => Promise<readonly ResolvedAddress[]>;

/** An address as the system gives it. */
export interface ResolvedAddress {
  address: string;
  family: number;
}

/** Looks names up, a bounded number of them at once; the others wait in their order. */
export class Lookups {
  readonly #resolve: Resolve;
  readonly #limit: ReturnType<typeof pLimit>;

  constructor(atOnce: number, resolve: Resolve) {
    this.#limit = pLimit(atOnce);
    this.#resolve = resolve;
  }

  /** The addresses of a name. One that is given up before its turn (`signal`) is never asked for, and rejects. */
  addresses(name: string, signal: AbortSignal): Promise<readonly ResolvedAddress[]> {
    return this.#limit(() => {
      signal.throwIfAborted();
      return this.#resolve(name, signal);
    });
  }
}
