import { permittedRows } from '../model/permitted-rows.ts';
import { countItems, readHeads, readItems, type Found, type Head } from './found-items.ts';
import { PAGE_BYTES, RANK_ROWS, WALK_BYTES, WALK_ROWS } from './limits.ts';
import type { ItemQuery, StoreItem, StorePage } from './port.ts';
import { rankHeads } from './ranking.ts';

/** The items that match a query, and their total number. */
export async function searchItems(found: Found): Promise<StorePage<StoreItem>> {
  const { query } = found;
  if (query.matches !== undefined) return searchByValue(found, query.matches);
  const { heads, total } =
    query.isVisible === undefined
      ? { heads: await pageOfHeads(found, query), total: await countItems(found) }
      : await visiblePage(found);
  const page = firstBytes(heads, PAGE_BYTES);
  const items = await readItems(found, page);
  return { items, total, isCut: page.length < heads.length };
}

/** Checks every row, since only the policy decides which of them count. */
async function visiblePage(found: Found): Promise<{ heads: Head[]; total: number }> {
  const { query } = found;
  const heads: Head[] = [];
  let total = 0;
  for await (const batch of visibleHeads(found)) {
    const from = Math.max(query.offset - total, 0);
    heads.push(...batch.slice(from, from + query.limit - heads.length));
    total += batch.length;
  }
  return { heads, total };
}

/** Reads values until the page is full. */
async function searchByValue(
  found: Found,
  matches: NonNullable<ItemQuery['matches']>,
): Promise<StorePage<StoreItem>> {
  const { query } = found;
  const items: StoreItem[] = [];
  let skip = query.offset;
  let bytes = 0;
  for await (const batch of visibleHeads(found)) {
    let rest = batch;
    while (rest.length > 0) {
      const chunk = firstBytes(rest, WALK_BYTES);
      rest = rest.slice(chunk.length);
      for (const item of await readItems(found, chunk)) {
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

async function* visibleHeads(found: Found): AsyncGenerator<Head[]> {
  const { isVisible } = found.query;
  for await (const batch of everyHead(found)) {
    yield isVisible === undefined ? batch : await permittedRows(batch, isVisible);
  }
}

async function* everyHead(found: Found): AsyncGenerator<Head[]> {
  const { near } = found.query;
  let after: Head | undefined;
  for (let offset = 0; ; offset += RANK_ROWS) {
    const batch =
      near === undefined
        ? await readHeads(found, { limit: WALK_ROWS, ...(after && { after }) })
        : // Each part compares all vectors again, so parts are large.
          await rankHeads(found, near, { limit: RANK_ROWS, offset });
    yield batch;
    after = batch.at(-1);
    if (batch.length < (near === undefined ? WALK_ROWS : RANK_ROWS)) return;
  }
}

function pageOfHeads(found: Found, part: { limit: number; offset: number }): Promise<Head[]> {
  const { near } = found.query;
  return near === undefined ? readHeads(found, part) : rankHeads(found, near, part);
}

/** The leading rows whose values fit into `limit` bytes together, at least one row. */
function firstBytes(heads: readonly Head[], limit: number): Head[] {
  let bytes = 0;
  const end = heads.findIndex((head) => (bytes += head.bytes) > limit);
  return heads.slice(0, end < 0 ? heads.length : Math.max(end, 1));
}
