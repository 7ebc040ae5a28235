import type { Insertable } from 'kysely';
import { byteLength, type ItemKey } from '../model/store/item-key.ts';
import { isAlive } from './expiry.ts';
import { itemOf, metadataTags } from './item-row.ts';
import { putVectors } from './item-vectors.ts';
import { isAt, keyColumns } from './key-columns.ts';
import type { NewStoreItem, StoreItem, StoreItemHead } from './port.ts';
import type { Dialect, StoreDatabase, StoreTables } from './schema.ts';

/** Creates or replaces an item and its search tags. */
export async function putItem(
  db: StoreDatabase,
  dialect: Dialect,
  item: NewStoreItem,
  now: number,
): Promise<void> {
  const { value, metadata, owner, ttlMs, indexPaths, indexed } = item;
  const columns = keyColumns(item);
  const changed = {
    value,
    value_bytes: byteLength(value),
    updated_at: now,
    ttl_ms: ttlMs ?? null,
    expires_at: ttlMs === undefined ? null : now + ttlMs,
    index_paths: indexPaths === undefined ? null : JSON.stringify(indexPaths),
    indexed_by: indexed?.index ?? null,
  };
  const stored: Insertable<StoreTables['store_items']> = {
    ...columns,
    ...changed,
    metadata: metadata ?? '{}',
    owner,
    created_at: now,
  };
  await db.transaction().execute(async (transaction) => {
    // An expired item is gone: the new item sets the owner and the creation time.
    await transaction
      .deleteFrom('store_items')
      .where(isAt(columns))
      .where('expires_at', '<=', now)
      .execute();
    await transaction
      .insertInto('store_items')
      .values(stored)
      .onConflict((conflict) =>
        conflict.columns(['namespace', 'key']).doUpdateSet({
          ...changed,
          ...(metadata === undefined ? {} : { metadata }),
        }),
      )
      .execute();
    await putVectors(transaction, dialect, columns, indexed?.vectors ?? []);
    if (metadata === undefined) return;
    await transaction.deleteFrom('store_item_tags').where(isAt(columns)).execute();
    const tags = metadataTags(JSON.parse(metadata) as Record<string, unknown>); // an object, by the port
    if (tags.length === 0) return;
    await transaction
      .insertInto('store_item_tags')
      .values(tags.map((tag) => ({ ...columns, tag })))
      .execute();
  });
}

/** One item, if it exists. */
export async function getItem(
  db: StoreDatabase,
  itemKey: ItemKey,
  now: number,
): Promise<StoreItem | undefined> {
  const row = await db
    .selectFrom('store_items')
    .selectAll()
    .where(isAt(keyColumns(itemKey)))
    .where(isAlive(now))
    .executeTakeFirst();
  return row && itemOf(row);
}

/** One item without its value, if it exists. */
export async function headItem(
  db: StoreDatabase,
  itemKey: ItemKey,
  now: number,
): Promise<StoreItemHead | undefined> {
  const row = await db
    .selectFrom('store_items')
    .select('owner')
    .where(isAt(keyColumns(itemKey)))
    .where(isAlive(now))
    .executeTakeFirst();
  return row && { namespace: itemKey.namespace, key: itemKey.key, owner: row.owner };
}

/** Removes an item and its search tags. */
export async function deleteItem(db: StoreDatabase, itemKey: ItemKey): Promise<void> {
  await db
    .deleteFrom('store_items')
    .where(isAt(keyColumns(itemKey)))
    .execute();
}
