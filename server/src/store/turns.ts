/** Nobody ended a turn in time. */
export class NoTurn extends Error {
  override readonly name = 'NoTurn';
}

/** So many at a time; whoever comes next waits, first come, first served. */
export class Turns {
  readonly #limitMs: number;
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(count: number, limitMs: number) {
    this.#free = count;
    this.#limitMs = limitMs;
  }

  /** Resolves with a turn, which `give` ends; rejects with NoTurn when the time is over. */
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
