import { ROWS_ASKED_AT_ONCE } from './limits/search-limits.ts';

/** The rows of a list that the caller may see, in their order. They are checked in batches. */
export async function permittedRows<T>(
  rows: readonly T[],
  isPermitted: (row: T) => boolean | Promise<boolean>,
): Promise<T[]> {
  const permitted: T[] = [];
  for (let at = 0; at < rows.length; at += ROWS_ASKED_AT_ONCE) {
    const some = rows.slice(at, at + ROWS_ASKED_AT_ONCE);
    const decisions = await Promise.all(some.map(async (row) => isPermitted(row)));
    permitted.push(...some.filter((_, index) => decisions[index]));
  }
  return permitted;
}
