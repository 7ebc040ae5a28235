/** A namespace in the tree; those without own items are listed for the ones below them. */
export interface NamespaceRow {
  readonly path: readonly string[];
  readonly label: string;
  readonly level: number;
  readonly hasChildren: boolean;
}

/** A path as text that is equal only for equal paths. */
export function pathKey(path: readonly string[]): string {
  return JSON.stringify(path);
}

/** The open part of the tree over these paths, in their order, under one row for everything. */
export function namespaceRows(
  paths: readonly (readonly string[])[],
  closed: ReadonlySet<string>,
): NamespaceRow[] {
  const all = new Map<string, readonly string[]>();
  const parents = new Set<string>();
  for (const path of paths) {
    for (let length = 1; length <= path.length; length += 1) {
      const part = path.slice(0, length);
      all.set(pathKey(part), part);
      if (length > 1) parents.add(pathKey(path.slice(0, length - 1)));
    }
  }
  const isShown = (path: readonly string[]): boolean =>
    path.every((_, index) => index === 0 || !closed.has(pathKey(path.slice(0, index))));
  const rows = [...all.values()]
    .toSorted(comparePaths)
    .filter(isShown)
    .map((path) => ({
      path,
      label: path.at(-1) ?? '',
      level: path.length,
      hasChildren: parents.has(pathKey(path)),
    }));
  return [{ path: [], label: 'Everything', level: 0, hasChildren: false }, ...rows];
}

function comparePaths(one: readonly string[], other: readonly string[]): number {
  for (let index = 0; ; index += 1) {
    const [a, b] = [one[index], other[index]];
    if (a === undefined || b === undefined) return one.length - other.length;
    if (a !== b) return a < b ? -1 : 1;
  }
}
