import { type RawBuilder, sql, type SqlBool } from 'kysely';
import type { Namespace, StorePlace } from '../model/store/store-place.ts';

/**
 * Ends a label where paths are kept. No label holds it and nothing that a label may hold sorts before it, so paths sort
 * by their labels, and the texts that begin with a path's text are the paths below it: `a.b` never looks like `ab`.
 */
const END = '\u0001';
const AFTER_END = '\u0002';

/** A path as the database keeps it: each label with its end. */
export function pathText(namespace: Namespace): string {
  return namespace.map((label) => label + END).join('');
}

/** The labels of a kept path. */
export function pathLabels(text: string): string[] {
  return text.split(END).slice(0, -1);
}

/** The texts of a path and of all below it: from the first (included) to the second (not included). */
export function pathRange(prefix: Namespace): [from: string, to: string] | undefined {
  if (prefix.length === 0) return undefined;
  const from = pathText(prefix);
  return [from, from.slice(0, -1) + AFTER_END];
}

/** A place as the tables have it. */
export interface PlaceColumns {
  namespace: string;
  key: string;
}

export function placeColumns(place: StorePlace): PlaceColumns {
  return { namespace: pathText(place.namespace), key: place.key };
}

/** The row of a place, or the rows that belong to it. */
export function isAt({ namespace, key }: PlaceColumns): RawBuilder<SqlBool> {
  return sql`(namespace = ${namespace} and key = ${key})`;
}

/** The rows of these places, of which a statement takes so many only. */
export function isAtOneOf(places: readonly StorePlace[]): RawBuilder<SqlBool> {
  const rows = places.map((place) => {
    const { namespace, key } = placeColumns(place);
    return sql`(${namespace}, ${key})`;
  });
  // SQLite takes a list of rows only as VALUES.
  return sql`(namespace, key) in (values ${sql.join(rows)})`;
}
