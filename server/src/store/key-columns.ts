import { type RawBuilder, sql, type SqlBool } from 'kysely';
import type { Namespace, ItemKey } from '../model/store/item-key.ts';

/**
 * Ends each label in a stored path. No label contains it and no allowed character sorts before it, so paths sort by
 * their labels, and the texts that begin with a path's text are the paths below it: `a.b` never matches `ab`.
 */
const END = '\u0001';
const AFTER_END = '\u0002';

/** A path as the database stores it: each label followed by its end mark. */
export function pathText(namespace: Namespace): string {
  return namespace.map((label) => label + END).join('');
}

/** The labels of a stored path. */
export function pathLabels(text: string): string[] {
  return text.split(END).slice(0, -1);
}

/** The range of texts of a path and all paths below it: from the first (inclusive) to the second (exclusive). */
export function pathRange(prefix: Namespace): [from: string, to: string] | undefined {
  if (prefix.length === 0) return undefined;
  const from = pathText(prefix);
  return [from, from.slice(0, -1) + AFTER_END];
}

/** Namespace and key as table columns. */
export interface KeyColumns {
  namespace: string;
  key: string;
}

export function keyColumns(itemKey: ItemKey): KeyColumns {
  return { namespace: pathText(itemKey.namespace), key: itemKey.key };
}

/** Matches the row with this namespace and key, or the rows that belong to it. */
export function isAt({ namespace, key }: KeyColumns): RawBuilder<SqlBool> {
  return sql`(namespace = ${namespace} and key = ${key})`;
}

/** Matches the rows of these items; a statement takes a limited number of them. */
export function isAtOneOf(itemKeys: readonly ItemKey[]): RawBuilder<SqlBool> {
  const rows = itemKeys.map((itemKey) => {
    const { namespace, key } = keyColumns(itemKey);
    return sql`(${namespace}, ${key})`;
  });
  // SQLite accepts a list of rows only as VALUES.
  return sql`(namespace, key) in (values ${sql.join(rows)})`;
}
