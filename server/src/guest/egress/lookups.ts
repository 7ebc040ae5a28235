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
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(atOnce: number, resolve: Resolve) {
    this.#free = atOnce;
    this.#resolve = resolve;
  }

  /** The addresses of a name. One that is given up before its turn (`signal`) is never asked for, and rejects. */
  async addresses(name: string, signal: AbortSignal): Promise<readonly ResolvedAddress[]> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((go) => this.#waiting.push(go));
    try {
      signal.throwIfAborted();
      return await this.#resolve(name, signal);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}
