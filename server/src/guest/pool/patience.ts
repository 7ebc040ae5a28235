/** How the limits of a guest run: a debugger stops its time. */
export interface Patience {
  /** Calls back when so much time has passed in which no debugger had the guest. Returns how to call it off. */
  after(limitMs: number, act: () => void): () => void;
}

/** The limits of guests that nobody debugs. */
export const plainPatience: Patience = {
  after(limitMs, act) {
    const timer = setTimeout(act, limitMs);
    return () => clearTimeout(timer);
  },
};

/** The limits of a guest under a debugger: while a client is attached, they do not run out before `heldMs`. */
export class DebugPatience implements Patience {
  readonly #heldMs: number;
  #isHeld = false;
  #letGoAt = Number.NEGATIVE_INFINITY;
  readonly #suspended = new Set<() => void>();

  constructor(heldMs: number) {
    this.#heldMs = heldMs;
  }

  /** A client is attached: any line of the agent may be where it stands still. */
  hold(): void {
    this.#isHeld = true;
  }

  /** The limits that ran out meanwhile begin anew. */
  letGo(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#letGoAt = Date.now();
    for (const resume of [...this.#suspended]) resume();
  }

  /** True while a client is attached, and so long afterwards. */
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
