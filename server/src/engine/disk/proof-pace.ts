/**
 * How long no further proof is written after one failed, doubled each time: when a quota is exhausted, every proof
 * takes the space that the engine was just given.
 */
export const FIRST_PROOF_WAIT_MS = 1_000;
export const LONGEST_PROOF_WAIT_MS = 30_000;

/** When to test again whether the disk accepts writes. */
export class ProofPace {
  readonly #now: () => number;
  #waitMs = FIRST_PROOF_WAIT_MS;
  #dueAt = Number.NEGATIVE_INFINITY;

  constructor(now: () => number) {
    this.#now = now;
  }

  isDue(): boolean {
    return this.#now() >= this.#dueAt;
  }

  /** Another write failed: a proof would fail now, too. */
  holdOff(): void {
    this.#dueAt = Math.max(this.#dueAt, this.#now() + FIRST_PROOF_WAIT_MS);
  }

  failed(): void {
    this.#dueAt = this.#now() + this.#waitMs;
    this.#waitMs = Math.min(2 * this.#waitMs, LONGEST_PROOF_WAIT_MS);
  }

  succeeded(): void {
    this.#waitMs = FIRST_PROOF_WAIT_MS;
    this.#dueAt = Number.NEGATIVE_INFINITY;
  }
}
