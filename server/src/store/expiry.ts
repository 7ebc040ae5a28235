import { sql, type RawBuilder, type SqlBool } from 'kysely';
import type { ItemKey } from '../model/store/item-key.ts';
import { WALK_ROWS } from './limits.ts';
import { isAtOneOf } from './key-columns.ts';
import type { StoreDatabase } from './schema.ts';

/** The condition that an item has not expired. The clock is the service's, also where services share a database. */
export function isAlive(now: number): RawBuilder<SqlBool> {
  return sql`(store_items.expires_at is null or store_items.expires_at > ${now})`;
}

/** Restarts the lifetime of items that expire; expired items stay deleted. */
export async function refreshItems(
  db: StoreDatabase,
  itemKeys: readonly ItemKey[],
  now: number,
): Promise<void> {
  for (let from = 0; from < itemKeys.length; from += WALK_ROWS) {
    await db
      .updateTable('store_items')
      .set({ expires_at: sql<number>`cast(${now} as bigint) + ttl_ms` })
      .where(isAtOneOf(itemKeys.slice(from, from + WALK_ROWS)))
      .where('ttl_ms', 'is not', null)
      .where(isAlive(now))
      .execute();
  }
}

/** Removes at most `limit` expired items; returns how many it removed. */
export async function removeExpired(
  db: StoreDatabase,
  limit: number,
  now: number,
): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('store_items')
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('namespace', 'key'),
        'in',
        selectFrom('store_items')
          .select(['namespace', 'key'])
          .where('expires_at', '<=', now)
          .limit(limit)
          .$asTuple('namespace', 'key'),
      ),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
