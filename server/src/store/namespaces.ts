import { permittedRows } from '../model/permitted-rows.ts';
import type { Namespace } from '../model/store/item-key.ts';
import { isAlive } from './expiry.ts';
import { WALK_ROWS } from './limits.ts';
import { pathLabels, pathRange, pathText } from './key-columns.ts';
import type { NamespaceCondition, NamespaceQuery, StorePage } from './port.ts';
import type { StoreDatabase } from './schema.ts';

/** The paths that match a query, and their total number. */
export async function listNamespaces(
  db: StoreDatabase,
  query: NamespaceQuery,
  now: number,
): Promise<StorePage<Namespace>> {
  const items: Namespace[] = [];
  let total = 0;
  let last: string | undefined;
  for await (const namespace of matching(db, query, now)) {
    const cut = namespace.slice(0, query.maxDepth);
    const text = pathText(cut);
    // Rows are sorted, so paths that are equal after the cut are adjacent.
    if (text === last) continue;
    last = text;
    if (total >= query.offset && items.length < query.limit) items.push(cut);
    total += 1;
  }
  return { items, total };
}

async function* matching(
  db: StoreDatabase,
  query: NamespaceQuery,
  now: number,
): AsyncGenerator<Namespace> {
  const { conditions, isVisible } = query;
  for await (const namespaces of everyNamespace(db, literalPrefix(conditions), now)) {
    const fitting = namespaces.filter((one) => conditions.every((each) => fits(one, each)));
    yield* isVisible === undefined ? fitting : await permittedRows(fitting, isVisible);
  }
}

async function* everyNamespace(
  db: StoreDatabase,
  prefix: Namespace,
  now: number,
): AsyncGenerator<Namespace[]> {
  const range = pathRange(prefix);
  let after: string | undefined;
  for (;;) {
    let select = db.selectFrom('store_items').select('namespace').distinct().where(isAlive(now));
    if (range) select = select.where('namespace', '>=', range[0]).where('namespace', '<', range[1]);
    if (after !== undefined) select = select.where('namespace', '>', after);
    const rows = await select.orderBy('namespace').limit(WALK_ROWS).execute();
    yield rows.map(({ namespace }) => pathLabels(namespace));
    after = rows.at(-1)?.namespace;
    if (rows.length < WALK_ROWS) return;
  }
}

/** The prefix of every matching path: the labels before the first `*`. */
function literalPrefix(conditions: readonly NamespaceCondition[]): Namespace {
  const labels = conditions.find(({ at }) => at === 'prefix')?.labels ?? [];
  const star = labels.indexOf('*');
  return star < 0 ? labels : labels.slice(0, star);
}

/** Matches a condition as LangGraph defines it. */
function fits(namespace: Namespace, { at, labels }: NamespaceCondition): boolean {
  const start = at === 'prefix' ? 0 : namespace.length - labels.length;
  if (namespace.length < labels.length) return false;
  return labels.every((label, index) => label === '*' || label === namespace[start + index]);
}
