import { itemOf, metadataTags } from './item-row.ts';
import { isAlive } from './expiry.ts';
import { WALK_ROWS } from './limits.ts';
import { isAtOneOf, pathLabels, pathRange, pathText, keyColumns } from './key-columns.ts';
import type { ItemQuery, StoreItem, StoreItemHead } from './port.ts';
import type { StoreDatabase } from './schema.ts';
import type { VectorSupport } from './sql-source.ts';

/** A query and the database it runs on. */
export interface Found {
  db: StoreDatabase;
  query: ItemQuery;
  now: number;
  /** Finds out what compares vectors. */
  vectors: () => Promise<VectorSupport>;
}

/** A row without its value. */
export interface Head extends StoreItemHead {
  bytes: number;
  /** As in StoreItem. */
  score?: number;
}

/** A page of the rows, in the order of labels and keys. */
export async function readHeads(
  found: Found,
  part: { limit: number; offset?: number; after?: StoreItemHead },
): Promise<Head[]> {
  let select = foundRows(found)
    .select(['store_items.namespace', 'store_items.key', 'owner', 'value_bytes'])
    .orderBy('store_items.namespace')
    .orderBy('store_items.key')
    .limit(part.limit)
    .offset(part.offset ?? 0);
  if (part.after !== undefined) {
    const { namespace, key } = keyColumns(part.after);
    select = select.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('store_items.namespace', 'store_items.key'), '>', tuple(namespace, key)),
    );
  }
  return (await select.execute()).map(headOf);
}

/** The number of rows. */
export async function countItems(found: Found): Promise<number> {
  const { total } = await foundRows(found)
    .select(({ fn }) => fn.countAll().as('total'))
    .executeTakeFirstOrThrow();
  return Number(total);
}

/** The rows that match the path and the metadata. */
export function foundRows({ db, query: { prefix, filter }, now }: Found) {
  const range = pathRange(prefix);
  const tags = metadataTags(filter ?? {});
  let select = db.selectFrom('store_items').where(isAlive(now));
  if (range) {
    select = select
      .where('store_items.namespace', '>=', range[0])
      .where('store_items.namespace', '<', range[1]);
  }
  if (tags.length === 0) return select;
  return select.where(({ eb, refTuple, selectFrom }) => {
    let tagged = selectFrom('store_item_tags').where('tag', 'in', tags);
    if (range) tagged = tagged.where('namespace', '>=', range[0]).where('namespace', '<', range[1]);
    // One sub-query for any number of members: an item has each tag once.
    const keys = tagged
      .select(['namespace', 'key'])
      .groupBy(['namespace', 'key'])
      .having(({ fn }) => fn.countAll(), '=', tags.length)
      .$asTuple('namespace', 'key');
    return eb(refTuple('store_items.namespace', 'store_items.key'), 'in', keys);
  });
}

/** The rows with their values in the same order, without items that were deleted meanwhile. */
export async function readItems({ db, now }: Found, heads: readonly Head[]): Promise<StoreItem[]> {
  const items: StoreItem[] = [];
  // A statement takes a limited number of parameters.
  for (let from = 0; from < heads.length; from += WALK_ROWS) {
    const part = heads.slice(from, from + WALK_ROWS);
    const rows = await db
      .selectFrom('store_items')
      .selectAll()
      .where(isAtOneOf(part))
      .where(isAlive(now))
      .execute();
    const byKey = new Map(rows.map((row) => [row.namespace + row.key, itemOf(row)]));
    for (const { namespace, key, score } of part) {
      const item = byKey.get(pathText(namespace) + key);
      if (item) items.push({ ...item, ...(score !== undefined && { score }) });
    }
  }
  return items;
}

/** The head of a row as searches return it. */
export function headOf(row: {
  namespace: string;
  key: string;
  owner: string;
  value_bytes: number;
}): Head {
  const { namespace, key, owner, value_bytes: bytes } = row;
  return { namespace: pathLabels(namespace), key, owner, bytes };
}
