/** Records which objects of a thread are held while a collector decides. */
export interface Watch {
  /** Objects that were held at any time since the watch began. */
  readonly touched: ReadonlySet<string>;
  stop(): void;
}

/**
 * The objects of this process between their put and their reference. The collector removes no object that is held or
 * was held during its look, and a put of an object that is being removed waits for the removal.
 */
export class Pins {
  readonly #held = new Map<string, Map<string, number>>();
  readonly #watches = new Map<string, Set<Set<string>>>();
  readonly #removals = new Map<string, Promise<void>>();

  /** Holds an object; call it before the put. Returns a function that releases it; repeated calls do nothing. */
  async hold(threadId: string, hash: string): Promise<() => void> {
    const objects = this.#held.get(threadId) ?? new Map<string, number>();
    this.#held.set(threadId, objects);
    objects.set(hash, (objects.get(hash) ?? 0) + 1);
    for (const touched of this.#watches.get(threadId) ?? []) touched.add(hash);
    let isHeld = true;
    // An earlier removal takes at most one call; none begins while the object is held.
    await this.#removals.get(`${threadId}/${hash}`);
    return () => {
      if (isHeld) this.#letGo(threadId, hash);
      isHeld = false;
    };
  }

  /** Begins to record held objects of a thread, including those held now. */
  watch(threadId: string): Watch {
    const touched = new Set(this.#held.get(threadId)?.keys());
    const watches = this.#watches.get(threadId) ?? new Set();
    this.#watches.set(threadId, watches.add(touched));
    return {
      touched,
      stop: () => {
        watches.delete(touched);
        if (watches.size === 0 && this.#watches.get(threadId) === watches) {
          this.#watches.delete(threadId);
        }
      },
    };
  }

  /** Removes an object unless it was touched; returns true when it did. */
  async remove(
    watch: Watch,
    object: { threadId: string; hash: string },
    removal: () => Promise<void>,
  ): Promise<boolean> {
    if (watch.touched.has(object.hash)) return false;
    const key = `${object.threadId}/${object.hash}`;
    const done = removal();
    this.#removals.set(
      key,
      done.catch(() => undefined), // the caller of `remove` gets the error
    );
    try {
      await done;
      return true;
    } finally {
      this.#removals.delete(key);
    }
  }

  #letGo(threadId: string, hash: string): void {
    const objects = this.#held.get(threadId);
    const count = (objects?.get(hash) ?? 1) - 1;
    if (count > 0) objects?.set(hash, count);
    else objects?.delete(hash);
    if (objects?.size === 0) this.#held.delete(threadId);
  }
}
