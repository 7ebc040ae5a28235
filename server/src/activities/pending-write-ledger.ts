/** The key and the size of a pending write. */
interface LedgerWrite {
  taskId: string;
  index: number;
  value: { bytes: Uint8Array };
}

/**
 * The total size of the pending writes at the checkpoints of one attempt. It follows the thread's own rules: a task's
 * ordinary write keeps its first value, special channels (negative indexes) overwrite, and the writes of a checkpoint
 * are removed with it.
 */
export class PendingWriteLedger {
  readonly #retain: number;
  /** By namespace and checkpoint, then by task and index. */
  readonly #writes = new Map<string, Map<string, number>>();
  /** Checkpoints that the attempt saved, oldest first, by namespace. */
  readonly #saved = new Map<string, string[]>();
  /** The newest checkpoint of the attempt that was removed, by namespace. */
  readonly #gone = new Map<string, string>();
  #total = 0;

  /** `retain`: checkpoints that a run keeps in each namespace. */
  constructor(retain: number) {
    this.#retain = retain;
  }

  get total(): number {
    return this.#total;
  }

  /** By how much these writes would increase the total. */
  growth(ns: string, id: string, writes: readonly LedgerWrite[]): number {
    if (this.#hasGone(ns, id)) return 0;
    const present = this.#writes.get(checkpointKey(ns, id));
    return writes.reduce((sum, write) => {
      const before = present?.get(writeKey(write));
      if (before === undefined) return sum + write.value.bytes.byteLength;
      return write.index >= 0 ? sum : sum + write.value.bytes.byteLength - before;
    }, 0);
  }

  wrote(ns: string, id: string, writes: readonly LedgerWrite[]): void {
    if (writes.length === 0 || this.#hasGone(ns, id)) return;
    this.#total += this.growth(ns, id, writes);
    const present = this.#writes.get(checkpointKey(ns, id)) ?? new Map<string, number>();
    this.#writes.set(checkpointKey(ns, id), present);
    for (const write of writes) {
      const key = writeKey(write);
      if (!present.has(key) || write.index < 0) present.set(key, write.value.bytes.byteLength);
    }
  }

  /** A checkpoint was saved: the oldest beyond the retained ones is removed with its writes. */
  saved(ns: string, id: string): void {
    const own = this.#saved.get(ns) ?? [];
    this.#saved.set(ns, own);
    if (!own.includes(id)) own.push(id);
    for (const gone of own.splice(0, Math.max(0, own.length - this.#retain))) {
      this.#gone.set(ns, gone);
      this.#forget(ns, gone);
    }
  }

  /**
   * Frees that many bytes: removes the writes of the oldest checkpoints that are not the newest of their namespace,
   * from which the run does not continue. Returns those checkpoints, whose writes the thread has to remove as well.
   */
  shed(bytes: number): { ns: string; checkpointId: string }[] {
    const shed: { ns: string; checkpointId: string }[] = [];
    const enough = this.#total - bytes;
    const older = [...this.#saved].flatMap(([ns, ids]) =>
      ids.slice(0, -1).map((id) => ({ ns, id })),
    );
    // Ids of checkpoints grow with time.
    for (const { ns, id } of older.toSorted((one, other) => (one.id < other.id ? -1 : 1))) {
      if (this.#total <= enough) break;
      if (!this.#writes.has(checkpointKey(ns, id))) continue;
      this.#forget(ns, id);
      shed.push({ ns, checkpointId: id });
    }
    return shed;
  }

  /** The thread has dropped the checkpoint, so it discards later writes for it. */
  #hasGone(ns: string, id: string): boolean {
    const newest = this.#gone.get(ns);
    return newest !== undefined && id <= newest;
  }

  #forget(ns: string, id: string): void {
    const key = checkpointKey(ns, id);
    for (const size of this.#writes.get(key)?.values() ?? []) this.#total -= size;
    this.#writes.delete(key);
  }
}

function checkpointKey(ns: string, id: string): string {
  return `${ns}\n${id}`;
}

function writeKey({ taskId, index }: LedgerWrite): string {
  return `${taskId}\n${index}`;
}
