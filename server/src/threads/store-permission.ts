/** Applies what the agents' own `auth` made of a store request: handlers may move it to another namespace. */
import { isDeepStrictEqual } from 'node:util';
import { ServiceError } from '../errors/service-error.ts';
import { isObject, type JsonText, toJsonText } from '../model/json.ts';
import type { Namespace, ItemKey } from '../model/store/item-key.ts';
import type { Permission } from '../policy/port.ts';
import type { ItemQuery, NamespaceCondition, NamespaceQuery } from '../store/port.ts';
import { requireNamespace, requireItemKey } from './store-input.ts';
import { storeFilter } from './value-filter.ts';

/** The namespace and key that a permission leaves; the same object when unchanged. */
export function givenItemKey({ given }: Permission, itemKey: ItemKey): ItemKey {
  if (given === undefined) return itemKey;
  const { namespace, key } = given;
  if (!isLabels(namespace) || typeof key !== 'string') throw invalidItem();
  const isSame = key === itemKey.key && isSamePath(namespace, itemKey.namespace);
  if (isSame) return itemKey;
  const other = { namespace, key };
  requireItemKey(other);
  return other;
}

/** The same, with the value, which keeps its text when unchanged. */
export function givenItem<T extends { value: JsonText }>(
  permission: Permission,
  itemKey: ItemKey,
  stored: T,
): { itemKey: ItemKey; stored: T } {
  const { given } = permission;
  if (given === undefined) return { itemKey, stored };
  const { value } = given;
  if (!isObject(value)) throw invalidItem();
  const isSame = isDeepStrictEqual(value, JSON.parse(stored.value));
  return {
    itemKey: givenItemKey(permission, itemKey),
    stored: isSame ? stored : { ...stored, value: toJsonText(value) },
  };
}

/** The part of a search that a permission decides: the namespace prefix and a filter on values. */
export function givenSearch(
  { given, filter }: Permission,
  query: Pick<ItemQuery, 'prefix' | 'matches'>,
): Partial<Pick<ItemQuery, 'prefix' | 'matches'>> {
  if (given === undefined) return {};
  const { namespace: prefix } = given;
  if (!isLabels(prefix)) throw invalidItem();
  requireNamespace('namespace', prefix);
  if (!filter) return { prefix };
  const fits = storeFilter(JSON.stringify(filter));
  const { matches } = query;
  return { prefix, matches: (value) => fits(value) && (matches?.(value) ?? true) };
}

/** A list of namespaces, with LangGraph Server's names. */
export function givenList(query: NamespaceQuery): Record<string, unknown> {
  const labels = (wanted: 'prefix' | 'suffix'): Namespace | null =>
    query.conditions.find(({ at }) => at === wanted)?.labels ?? null;
  return {
    namespace: labels('prefix'),
    suffix: labels('suffix'),
    max_depth: query.maxDepth ?? null,
    limit: query.limit,
    offset: query.offset,
  };
}

/** The conditions that a permission leaves. */
export function givenConditions(
  { given }: Permission,
  query: NamespaceQuery,
): readonly NamespaceCondition[] {
  if (given === undefined) return query.conditions;
  const changed = (['prefix', 'suffix'] as const).flatMap((at): NamespaceCondition[] => {
    const labels = given[at === 'prefix' ? 'namespace' : 'suffix'] ?? undefined;
    if (labels === undefined) return [];
    if (!isLabels(labels)) throw invalidItem();
    requireNamespace(at, labels);
    return [{ at, labels }];
  });
  // Handlers get only the first condition of each kind; the remaining requested conditions apply as well.
  const changedAt = new Set(
    changed.map(({ at }) => query.conditions.findIndex((one) => one.at === at)),
  );
  return [...changed, ...query.conditions.filter((_, index) => !changedAt.has(index))];
}

function isLabels(labels: unknown): labels is string[] {
  return Array.isArray(labels) && labels.every((label) => typeof label === 'string');
}

function isSamePath(a: Namespace, b: Namespace): boolean {
  return a.length === b.length && a.every((label, at) => label === b[at]);
}

function invalidItem(): ServiceError {
  return new ServiceError(
    'auth_failed',
    "The agents' auth set an invalid key or value of an item.",
  );
}
