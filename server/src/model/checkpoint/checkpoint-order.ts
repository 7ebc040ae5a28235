/** Anything with an id, in ascending order of it: LangGraph's ids are UUIDv6, so that is the order of time. */
interface Identified {
  id: string;
}

/** Where the first entry stands whose id is this one or greater; the length when there is none. */
export function lowerBound(sorted: readonly Identified[], id: string): number {
  const last = sorted.at(-1);
  if (!last || last.id < id) return sorted.length; // nearly always: what is new comes last
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

/** Puts an entry where it belongs; one with the same id is replaced and answered. */
export function putInOrder<T extends Identified>(sorted: T[], entry: T): T | undefined {
  const at = lowerBound(sorted, entry.id);
  const previous = sorted[at];
  const isSame = previous?.id === entry.id;
  sorted.splice(at, isSame ? 1 : 0, entry);
  return isSame ? previous : undefined;
}

/** Takes the entry with this id out. */
export function removeById(sorted: Identified[], id: string): void {
  const at = lowerBound(sorted, id);
  if (sorted[at]?.id === id) sorted.splice(at, 1);
}

/** Takes some entries out. One by one, each would move everything behind it. */
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
