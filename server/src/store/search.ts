import { sql } from 'kysely';
import { PAGE_BYTES, WALK_BYTES, WALK_ROWS } from './limits.ts';
import { itemOf, placeColumns } from './items.ts';
import { metadataTags } from './metadata-tags.ts';
import { pathLabels, pathRange } from './path.ts';
import type { ItemQuery, StoreItem, StoreItemHead, StorePage } from './port.ts';
import type { StoreDatabase } from './schema.ts';

interface Head extends StoreItemHead {
  bytes: number;
}

/** The items that a query asks for, and how many there are in all. */
export async function searchItems(
  db: StoreDatabase,
  query: ItemQuery,
): Promise<StorePage<StoreItem>> {
  if (query.matches !== undefined) return searchByValue(db, query, query.matches);
  const { heads, total } =
    query.isVisible === undefined
      ? { heads: await readHeads(db, query, query), total: await countItems(db, query) }
      : await visiblePage(db, query);
  const page = firstBytes(heads, PAGE_BYTES);
  const items = await readItems(db, page);
  return { items, total, isCut: page.length < heads.length };
}

/** Looks at every row, since only the policy knows which of them count. */
async function visiblePage(
  db: StoreDatabase,
  query: ItemQuery,
): Promise<{ heads: Head[]; total: number }> {
  const heads: Head[] = [];
  let total = 0;
  for await (const batch of visibleHeads(db, query)) {
    const from = Math.max(query.offset - total, 0);
    heads.push(...batch.slice(from, from + query.limit - heads.length));
    total += batch.length;
  }
  return { heads, total };
}

/** Looks into values until the page is full. */
async function searchByValue(
  db: StoreDatabase,
  query: ItemQuery,
  matches: NonNullable<ItemQuery['matches']>,
): Promise<StorePage<StoreItem>> {
  const items: StoreItem[] = [];
  let skip = query.offset;
  let bytes = 0;
  for await (const batch of visibleHeads(db, query)) {
    let rest = batch;
    while (rest.length > 0) {
      const chunk = firstBytes(rest, WALK_BYTES);
      rest = rest.slice(chunk.length);
      for (const item of await readItems(db, chunk)) {
        if (!matches(item.value)) continue;
        if (skip > 0) {
          skip -= 1;
          continue;
        }
        bytes += item.value.length;
        if (bytes > PAGE_BYTES && items.length > 0) return { items, isCut: true };
        items.push(item);
        if (items.length === query.limit) return { items };
      }
    }
  }
  return { items };
}

async function* visibleHeads(db: StoreDatabase, query: ItemQuery): AsyncGenerator<Head[]> {
  let after: Head | undefined;
  for (;;) {
    const batch = await readHeads(db, query, { limit: WALK_ROWS, ...(after && { after }) });
    const visible: Head[] = [];
    for (const head of batch) {
      if (query.isVisible === undefined || (await query.isVisible(head))) visible.push(head);
    }
    yield visible;
    after = batch.at(-1);
    if (batch.length < WALK_ROWS) return;
  }
}

/** The leading rows whose values have so many bytes together, at least one. */
function firstBytes(heads: readonly Head[], limit: number): Head[] {
  let bytes = 0;
  const end = heads.findIndex((head) => (bytes += head.bytes) > limit);
  return heads.slice(0, end < 0 ? heads.length : Math.max(end, 1));
}

async function readHeads(
  db: StoreDatabase,
  query: ItemQuery,
  part: { limit: number; offset?: number; after?: StoreItemHead },
): Promise<Head[]> {
  let select = found(db, query)
    .select(['namespace', 'key', 'owner', 'value_bytes'])
    .orderBy('namespace')
    .orderBy('key')
    .limit(part.limit)
    .offset(part.offset ?? 0);
  if (part.after !== undefined) {
    const { namespace, key } = placeColumns(part.after);
    select = select.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('namespace', 'key'), '>', tuple(namespace, key)),
    );
  }
  const rows = await select.execute();
  return rows.map(({ namespace, key, owner, value_bytes }) => ({
    namespace: pathLabels(namespace),
    key,
    owner,
    bytes: value_bytes,
  }));
}

async function countItems(db: StoreDatabase, query: ItemQuery): Promise<number> {
  const { total } = await found(db, query)
    .select(({ fn }) => fn.countAll().as('total'))
    .executeTakeFirstOrThrow();
  return Number(total);
}

/** The rows that the path and the metadata let through. */
function found(db: StoreDatabase, { prefix, filter }: ItemQuery) {
  const range = pathRange(prefix);
  const tags = metadataTags(filter ?? {});
  let select = db.selectFrom('store_items');
  if (range) select = select.where('namespace', '>=', range[0]).where('namespace', '<', range[1]);
  if (tags.length === 0) return select;
  return select.where(({ eb, refTuple, selectFrom }) => {
    let tagged = selectFrom('store_item_tags').where('tag', 'in', tags);
    if (range) tagged = tagged.where('namespace', '>=', range[0]).where('namespace', '<', range[1]);
    // One sub-query, however many members: an item has each tag once.
    const places = tagged
      .select(['namespace', 'key'])
      .groupBy(['namespace', 'key'])
      .having(({ fn }) => fn.countAll(), '=', tags.length)
      .$asTuple('namespace', 'key');
    return eb(refTuple('namespace', 'key'), 'in', places);
  });
}

/** The rows with their values, in the same order; what was deleted meanwhile is left out. */
async function readItems(db: StoreDatabase, heads: readonly Head[]): Promise<StoreItem[]> {
  const items: StoreItem[] = [];
  // A statement takes so many parameters only.
  for (let from = 0; from < heads.length; from += WALK_ROWS) {
    const places = heads.slice(from, from + WALK_ROWS).map((head) => {
      const { namespace, key } = placeColumns(head);
      return sql`(${namespace}, ${key})`;
    });
    const rows = await db
      .selectFrom('store_items')
      .selectAll()
      // SQLite takes a list of rows only as VALUES.
      .where(sql<boolean>`(namespace, key) in (values ${sql.join(places)})`)
      .orderBy('namespace')
      .orderBy('key')
      .execute();
    items.push(...rows.map(itemOf));
  }
  return items;
}
