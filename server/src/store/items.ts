import type { Insertable, Selectable } from 'kysely';
import { jsonText } from '../model/json-text.ts';
import { byteLength, type StorePlace } from '../model/store-place.ts';
import { metadataTags } from './metadata-tags.ts';
import { pathLabels, pathText } from './path.ts';
import type { NewStoreItem, StoreItem, StoreItemHead } from './port.ts';
import type { StoreDatabase, StoreTables } from './schema.ts';

/** Creates or replaces an item, and what it is found by. */
export async function putItem(db: StoreDatabase, item: NewStoreItem, now: number): Promise<void> {
  const { value, metadata, owner } = item;
  const place = placeColumns(item);
  const stored: Insertable<StoreTables['store_items']> = {
    ...place,
    value,
    value_bytes: byteLength(value),
    metadata: metadata ?? '{}',
    owner,
    created_at: now,
    updated_at: now,
  };
  await db.transaction().execute(async (transaction) => {
    await transaction
      .insertInto('store_items')
      .values(stored)
      .onConflict((conflict) =>
        conflict.columns(['namespace', 'key']).doUpdateSet({
          value: stored.value,
          value_bytes: stored.value_bytes,
          updated_at: now,
          ...(metadata === undefined ? {} : { metadata }),
        }),
      )
      .execute();
    if (metadata === undefined) return;
    await transaction
      .deleteFrom('store_item_tags')
      .where('namespace', '=', place.namespace)
      .where('key', '=', place.key)
      .execute();
    const tags = metadataTags(JSON.parse(metadata) as Record<string, unknown>); // an object, by the port
    if (tags.length === 0) return;
    await transaction
      .insertInto('store_item_tags')
      .values(tags.map((tag) => ({ ...place, tag })))
      .execute();
  });
}

/** One item, if it is there. */
export async function getItem(
  db: StoreDatabase,
  place: StorePlace,
): Promise<StoreItem | undefined> {
  const { namespace, key } = placeColumns(place);
  const row = await db
    .selectFrom('store_items')
    .selectAll()
    .where('namespace', '=', namespace)
    .where('key', '=', key)
    .executeTakeFirst();
  return row && itemOf(row);
}

/** One item without its value, if it is there. */
export async function headItem(
  db: StoreDatabase,
  place: StorePlace,
): Promise<StoreItemHead | undefined> {
  const { namespace, key } = placeColumns(place);
  const row = await db
    .selectFrom('store_items')
    .select('owner')
    .where('namespace', '=', namespace)
    .where('key', '=', key)
    .executeTakeFirst();
  return row && { namespace: place.namespace, key, owner: row.owner };
}

/** Removes an item with what it is found by. */
export async function deleteItem(db: StoreDatabase, place: StorePlace): Promise<void> {
  const { namespace, key } = placeColumns(place);
  await db
    .deleteFrom('store_items')
    .where('namespace', '=', namespace)
    .where('key', '=', key)
    .execute();
}

/** A row as the port gives it. */
export function itemOf(row: Selectable<StoreTables['store_items']>): StoreItem {
  return {
    namespace: pathLabels(row.namespace),
    key: row.key,
    value: jsonText(row.value),
    metadata: jsonText(row.metadata),
    owner: row.owner,
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
  };
}

/** A place as the tables have it. */
export function placeColumns(place: StorePlace): { namespace: string; key: string } {
  return { namespace: pathText(place.namespace), key: place.key };
}
