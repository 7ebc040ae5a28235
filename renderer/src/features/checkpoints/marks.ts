/** The checkpoints marked for comparison. */
export interface Marks {
  readonly a: string | undefined;
  readonly b: string | undefined;
}

/** Marks one: first A, then B, then A again; marking a marked one unmarks it. */
export function mark({ a, b }: Marks, id: string): Marks {
  if (id === b) return { a, b: undefined };
  if (id === a) return { a: b, b: undefined };
  if (a === undefined) return { a: id, b: undefined };
  return b === undefined ? { a, b: id } : { a: id, b: undefined };
}

/** What is compared: A with B while one of them is selected; A alone with the selected checkpoint; or that with the one before it. */
export function comparedPair(
  { a, b }: Marks,
  at: string | undefined,
  parentId: string | undefined,
): readonly [before: string, after: string] | undefined {
  const isPairShown = b === undefined || at === a || at === b;
  const after = b ?? at;
  if (isPairShown && a !== undefined && after !== undefined && a !== after)
    return a < after ? [a, after] : [after, a];
  if (at === undefined || parentId === undefined) return undefined;
  return [parentId, at];
}
