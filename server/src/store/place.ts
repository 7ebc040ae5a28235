import { sql, type RawBuilder, type SqlBool } from 'kysely';
import type { StorePlace } from '../model/store/store-place.ts';
import { pathText } from './path.ts';

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
