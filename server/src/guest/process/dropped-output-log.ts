import type { Logger } from '../port.ts';
import type { DroppedOutput } from './output-allowance.ts';

/** Interval of the log lines, as long as output is dropped. */
const EVERY_MS = 10_000;

/** Logs the amount of output that a guest wrote beyond its allowance: at most one line for each interval. */
export class DroppedOutputLog {
  readonly #logger: Logger;
  readonly #about: object;
  #dropped: DroppedOutput | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(logger: Logger, about: object) {
    this.#logger = logger;
    this.#about = about;
  }

  note({ lines, bytes }: DroppedOutput): void {
    this.#dropped ??= { lines: 0, bytes: 0 };
    this.#dropped.lines += lines;
    this.#dropped.bytes += bytes;
    this.#timer ??= setTimeout(() => this.#flush(), EVERY_MS).unref();
  }

  /** Logs what has not been logged yet. */
  close(): void {
    this.#flush();
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#dropped) {
      this.#logger.warn({ ...this.#about, ...this.#dropped }, 'agent output was dropped');
    }
    this.#dropped = undefined;
  }
}
