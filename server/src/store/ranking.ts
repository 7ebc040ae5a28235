import { sql, type RawBuilder } from 'kysely';
import { foundRows, headOf, type Found, type Head } from './found-items.ts';
import { WALK_VECTORS } from './limits.ts';
import type { ItemQuery } from './port.ts';
import { bytesOfVector, dotProduct, vectorOfArrayText } from './vectors.ts';

type Near = NonNullable<ItemQuery['near']>;

/**
 * A page of the rows: best score first, rows without a score last, equal scores by labels and key. Every vector below
 * the path is compared: the result is exact.
 */
export async function rankHeads(
  found: Found,
  near: Near,
  { limit, offset }: { limit: number; offset: number },
): Promise<Head[]> {
  const support = await found.vectors();
  if (support.comparedBy === 'process') {
    return (await rankInProcess(found, near)).slice(offset, offset + limit);
  }
  const score =
    support.comparedBy === 'sqlite-vec' ? sqliteScore(near) : pgvectorScore(near, support.schema);
  const rows = await withVectors(found, near)
    .select(['store_items.namespace', 'store_items.key', 'owner', 'value_bytes'])
    .select(sql<number | null>`max(${score})`.as('score'))
    // The primary key determines the other columns of a row.
    .groupBy(['store_items.namespace', 'store_items.key'])
    .orderBy(sql`score desc nulls last`)
    .orderBy('store_items.namespace')
    .orderBy('store_items.key')
    .limit(limit)
    .offset(offset)
    .execute();
  return rows.map((row) => scored(headOf(row), row.score ?? undefined));
}

/** Each row with each of its vectors under this index, or once without one. */
function withVectors(found: Found, { index }: Near) {
  return foundRows(found).leftJoin('store_item_vectors', (join) =>
    join
      .onRef('store_item_vectors.namespace', '=', 'store_items.namespace')
      .onRef('store_item_vectors.key', '=', 'store_items.key')
      .on('store_items.indexed_by', '=', index),
  );
}

/** The zero vector is similar to no other: its score is 0, as in LangGraph. */
function sqliteScore({ vector }: Near): RawBuilder<number | null> {
  const distance = sql`vec_distance_cosine(embedding, ${bytesOfVector(vector)})`;
  return sql`case when embedding is null then null else coalesce(1 - ${distance}, 0) end`;
}

/** The inner product of vectors of length 1 is the cosine; pgvector's operator returns its negative. */
function pgvectorScore({ vector }: Near, schema: string): RawBuilder<number | null> {
  const type = sql.id(schema, 'vector');
  const text = `[${vector.join(',')}]`;
  return sql`-(embedding::${type} operator(${sql.id(schema)}.<#>) ${text}::${type})`;
}

/** Without pgvector this process reads every vector below the path in batches and keeps the best score of each row. */
async function rankInProcess(found: Found, near: Near): Promise<Head[]> {
  const best = new Map<string, Head>();
  let after: { namespace: string; key: string; path: string } | undefined;
  for (;;) {
    let select = withVectors(found, near)
      .select(['store_items.namespace', 'store_items.key', 'owner', 'value_bytes'])
      .select(sql<string>`coalesce(path, '')`.as('path'))
      .select(sql<string | null>`embedding::text`.as('embedding'))
      .orderBy('store_items.namespace')
      .orderBy('store_items.key')
      .orderBy(sql`coalesce(path, '')`)
      .limit(WALK_VECTORS);
    if (after !== undefined) {
      const { namespace, key, path } = after;
      select = select.where(
        sql<boolean>`(store_items.namespace, store_items.key, coalesce(path, '')) > (${namespace}, ${key}, ${path})`,
      );
    }
    const rows = await select.execute();
    for (const row of rows) {
      const key = row.namespace + row.key;
      const score =
        row.embedding === null
          ? undefined
          : dotProduct(vectorOfArrayText(row.embedding), near.vector);
      const known = best.get(key);
      if (known === undefined) best.set(key, scored(headOf(row), score));
      else if (score !== undefined && score > (known.score ?? -Infinity)) known.score = score;
    }
    after = rows.at(-1);
    if (rows.length < WALK_VECTORS) break;
  }
  // A stable sort: rows with equal scores keep their order.
  return [...best.values()].toSorted(
    (one, other) => (other.score ?? -Infinity) - (one.score ?? -Infinity) || 0,
  );
}

function scored(head: Head, score: number | undefined): Head {
  return score === undefined ? head : { ...head, score };
}
