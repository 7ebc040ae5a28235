/** Watches what is held on a thread while a collector decides. */
export interface Watch {
  /** Held at some time since the watch began. */
  readonly touched: ReadonlySet<string>;
  stop(): void;
}

/**
 * Which objects are on the way from their put to their reference, in this process. The collector removes nothing that
 * is held or was held while it looked, and a put of what is being removed waits until that is done.
 */
export class Pins {
  readonly #held = new Map<string, Map<string, number>>();
  readonly #watches = new Map<string, Set<Set<string>>>();
  readonly #removals = new Map<string, Promise<void>>();

  /** Holds an object; call it before the put. Answers what lets go of it, which does so once. */
  async hold(threadId: string, hash: string): Promise<() => void> {
    const objects = this.#held.get(threadId) ?? new Map<string, number>();
    this.#held.set(threadId, objects);
    objects.set(hash, (objects.get(hash) ?? 0) + 1);
    for (const touched of this.#watches.get(threadId) ?? []) touched.add(hash);
    let isHeld = true;
    // A removal that began before is at most one call long; none begins while it is held.
    await this.#removals.get(`${threadId}/${hash}`);
    return () => {
      if (isHeld) this.#letGo(threadId, hash);
      isHeld = false;
    };
  }

  /** Begins to note what is held on a thread, with what is held now. */
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

  /** Removes an object unless it was touched; true when it did. */
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
      done.catch(() => undefined), // told to who removes
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
