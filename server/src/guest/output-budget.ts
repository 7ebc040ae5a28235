import { OUTPUT_BYTES_PER_SECOND, OUTPUT_LINES_PER_SECOND } from '../model/sandbox-limits.ts';

const BURST_SECONDS = 10;
const TELL_MS = 1_000;

/** How much of a guest's output is taken: what comes in a burst as a whole, of a flood a part. */
export class OutputBudget {
  readonly #tell: (dropped: number) => void;
  #lines = BURST_SECONDS * OUTPUT_LINES_PER_SECOND;
  #bytes = BURST_SECONDS * OUTPUT_BYTES_PER_SECOND;
  #at = performance.now();
  #dropped = 0;
  #isTold = false;

  /** @param tell is told once in a while how many lines were left out. */
  constructor(tell: (dropped: number) => void) {
    this.#tell = tell;
  }

  /** True when a line of so many bytes is taken; otherwise it is counted. */
  take(bytes: number): boolean {
    this.#refill();
    if (this.#lines >= 1 && this.#bytes >= bytes) {
      this.#lines -= 1;
      this.#bytes -= bytes;
      return true;
    }
    this.#dropped += 1;
    if (!this.#isTold) setTimeout(() => this.#say(), TELL_MS).unref();
    this.#isTold = true;
    return false;
  }

  #refill(): void {
    const now = performance.now();
    const seconds = (now - this.#at) / 1_000;
    const grown = (left: number, each: number): number =>
      Math.min(BURST_SECONDS * each, left + seconds * each);
    this.#lines = grown(this.#lines, OUTPUT_LINES_PER_SECOND);
    this.#bytes = grown(this.#bytes, OUTPUT_BYTES_PER_SECOND);
    this.#at = now;
  }

  #say(): void {
    this.#isTold = false;
    this.#tell(this.#dropped);
    this.#dropped = 0;
  }
}
