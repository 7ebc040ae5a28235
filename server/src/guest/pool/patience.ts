/** Runs the time limits of a guest: a debugger suspends them. */
export interface Patience {
  /** Calls `act` after `limitMs` without an attached debugger. Returns a function that cancels it. */
  after(limitMs: number, act: () => void): () => void;
}

/** The limits of guests without a debugger. */
export const plainPatience: Patience = {
  after(limitMs, act) {
    const timer = setTimeout(act, limitMs);
    return () => clearTimeout(timer);
  },
};

/** The limits of a guest under a debugger: while a client is attached, they do not expire before `heldMs`. */
export class DebugPatience implements Patience {
  readonly #heldMs: number;
  #isHeld = false;
  #letGoAt = Number.NEGATIVE_INFINITY;
  readonly #suspended = new Set<() => void>();

  constructor(heldMs: number) {
    this.#heldMs = heldMs;
  }

  /** A client is attached: the agent may stop at any line. */
  hold(): void {
    this.#isHeld = true;
  }

  /** The client has detached: limits that expired meanwhile restart. */
  letGo(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#letGoAt = Date.now();
    for (const resume of [...this.#suspended]) resume();
  }

  /** True while a client is attached, and for `ms` afterwards. */
  wasHeldWithin(ms: number): boolean {
    return this.#isHeld || Date.now() - this.#letGoAt < ms;
  }

  after(limitMs: number, act: () => void): () => void {
    let timer: NodeJS.Timeout;
    const done = (): void => {
      this.#suspended.delete(arm);
      act();
    };
    const arm = (): void => {
      this.#suspended.delete(arm);
      clearTimeout(timer);
      timer = setTimeout(due, limitMs);
    };
    const due = (): void => {
      if (!this.#isHeld) return done();
      this.#suspended.add(arm);
      timer = setTimeout(done, this.#heldMs);
    };
    timer = setTimeout(due, limitMs);
    return () => {
      this.#suspended.delete(arm);
      clearTimeout(timer);
    };
  }
}
