import { sql, type RawBuilder } from 'kysely';
import type { ItemKey } from '../model/store/item-key.ts';
import type { ItemVector } from '../model/store/store-settings.ts';
import { isAlive } from './expiry.ts';
import { itemOf } from './item-row.ts';
import { isAt, keyColumns, type KeyColumns } from './key-columns.ts';
import type { IndexedItem, StoreItem } from './port.ts';
import type { Dialect, StoreDatabase } from './schema.ts';
import { bytesOfVector } from './vectors.ts';

/** Vectors of one statement: each has a kilobyte or more. */
const VECTOR_ROWS = 50;

/** Replaces the vectors of an item. */
export async function putVectors(
  db: StoreDatabase,
  dialect: Dialect,
  columns: KeyColumns,
  vectors: readonly ItemVector[],
): Promise<void> {
  await db.deleteFrom('store_item_vectors').where(isAt(columns)).execute();
  for (let from = 0; from < vectors.length; from += VECTOR_ROWS) {
    const rows = vectors
      .slice(from, from + VECTOR_ROWS)
      .map(({ path, values }) => ({ ...columns, path, embedding: vectorValue(dialect, values) }));
    await db.insertInto('store_item_vectors').values(rows).execute();
  }
}

/** A vector as a parameter of a statement. */
export function vectorValue(dialect: Dialect, values: Float32Array): RawBuilder<unknown> {
  if (dialect === 'sqlite') return sql`${bytesOfVector(values)}`;
  return sql`${`{${values.join(',')}}`}::real[]`;
}

/** At most `limit` items that have not been embedded for this index. */
export async function itemsNotIndexed(
  db: StoreDatabase,
  { index, limit, after }: { index: string; limit: number; after?: ItemKey | undefined },
  now: number,
): Promise<StoreItem[]> {
  let select = db
    .selectFrom('store_items')
    .selectAll()
    .where(({ eb, or }) => or([eb('indexed_by', 'is', null), eb('indexed_by', '!=', index)]))
    .where(isAlive(now))
    .orderBy('namespace')
    .orderBy('key')
    .limit(limit);
  if (after !== undefined) {
    const { namespace, key } = keyColumns(after);
    select = select.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('namespace', 'key'), '>', tuple(namespace, key)),
    );
  }
  return (await select.execute()).map(itemOf);
}

/** Sets the vectors of an item, unless it was put or deleted since it was read. */
export async function setIndexed(
  db: StoreDatabase,
  dialect: Dialect,
  item: StoreItem,
  { index, vectors }: IndexedItem,
): Promise<void> {
  const columns = keyColumns(item);
  await db.transaction().execute(async (transaction) => {
    const { numUpdatedRows } = await transaction
      .updateTable('store_items')
      .set({ indexed_by: index })
      .where(isAt(columns))
      .where('updated_at', '=', item.updatedAt)
      .where('value', '=', item.value)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows > 0n) await putVectors(transaction, dialect, columns, vectors);
  });
}
