import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long a piece of work may hold everything else in the process up. */
const SLICE_MS = 10;

/** Work in slices: whoever does much asks between its pieces whether it is time to let others go first. */
export class Slices {
  #began = performance.now();

  /** Resolves at once, or when the process has done what else there was. */
  async pause(): Promise<void> {
    if (performance.now() - this.#began < SLICE_MS) return;
    await nextTurn();
    this.#began = performance.now();
  }
}
