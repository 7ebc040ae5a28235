/** An entry with an id, in lists sorted by it: LangGraph's ids are UUIDv6, so that is the order of time. */
interface Identified {
  id: string;
}

/** The index of the first entry whose id is equal or greater; the length when there is none. */
export function lowerBound(sorted: readonly Identified[], id: string): number {
  const last = sorted.at(-1);
  if (!last || last.id < id) return sorted.length; // nearly always: new entries come last
  let from = 0;
  let to = sorted.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    const entry = sorted[middle];
    if (entry && entry.id < id) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** The entry with this id. */
export function findById<T extends Identified>(sorted: readonly T[], id: string): T | undefined {
  const entry = sorted[lowerBound(sorted, id)];
  return entry?.id === id ? entry : undefined;
}

/** Inserts an entry in order; one with the same id is replaced and returned. */
export function putInOrder<T extends Identified>(sorted: T[], entry: T): T | undefined {
  const at = lowerBound(sorted, entry.id);
  const previous = sorted[at];
  const isSame = previous?.id === entry.id;
  sorted.splice(at, isSame ? 1 : 0, entry);
  return isSame ? previous : undefined;
}

/** Removes the entry with this id. */
export function removeById(sorted: Identified[], id: string): void {
  const at = lowerBound(sorted, id);
  if (sorted[at]?.id === id) sorted.splice(at, 1);
}

/** Removes several entries at once: one by one, each removal would move all later entries. */
export function takeOut<T extends Identified>(sorted: T[], gone: ReadonlySet<T>): void {
  const [only] = gone;
  if (gone.size <= 1) {
    if (only) removeById(sorted, only.id);
    return;
  }
  const kept = sorted.filter((entry) => !gone.has(entry));
  sorted.length = 0;
  for (const entry of kept) sorted.push(entry);
}
