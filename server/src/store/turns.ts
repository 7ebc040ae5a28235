/** No turn became free in time. */
export class NoTurn extends Error {
  override readonly name = 'NoTurn';
}

/** Limits concurrency to `count` turns; further callers wait, first come, first served. */
export class Turns {
  readonly #limitMs: number;
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(count: number, limitMs: number) {
    this.#free = count;
    this.#limitMs = limitMs;
  }

  /** Resolves with a turn, which `give` ends; rejects with NoTurn at the time limit. */
  take(): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const wake = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(wake), 1);
        reject(new NoTurn(`No turn came within ${this.#limitMs} ms.`));
      }, this.#limitMs);
      this.#waiting.push(wake);
    });
  }

  give(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free += 1;
  }
}
