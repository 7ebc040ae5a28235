import type { Logger } from '../port.ts';
import type { DroppedOutput } from './output-allowance.ts';

/** As often as there is something to tell. */
const EVERY_MS = 10_000;

/** Tells in the log what a guest wrote beyond its allowance: one line for each interval, whatever it wrote. */
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
    this.#timer ??= setTimeout(() => this.#tell(), EVERY_MS).unref();
  }

  /** Tells what is left to tell. */
  close(): void {
    this.#tell();
  }

  #tell(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#dropped) {
      this.#logger.warn({ ...this.#about, ...this.#dropped }, 'agent output was dropped');
    }
    this.#dropped = undefined;
  }
}
