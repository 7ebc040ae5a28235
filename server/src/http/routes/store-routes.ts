import * as contract from '../../contract/store-routes.ts';
import { DEFAULT_LIMIT } from '../../contract/scalars.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { type JsonText, jsonText } from '../../model/json.ts';
import type { ItemKey } from '../../model/store/item-key.ts';
import type { NamespaceCondition, StorePage } from '../../store/port.ts';
import type { StoreService } from '../../threads/store-service.ts';
import type { Endpoints } from '../endpoint.ts';
import { paginationHeaders } from '../request/parse-input.ts';
import { presentStoreItem } from '../response/present.ts';

const NO_METADATA = jsonText('{}');

/** The key-value store (spec: Endpoints, Store). */
export function storeRoutes(endpoints: Endpoints, services: { store: StoreService }): void {
  const { store } = services;

  endpoints.on(contract.listStoreNamespaces, async ({ principal, body }) => {
    const page = pageOf(body);
    const found = await store.listNamespaces(principal, {
      ...page,
      conditions: conditionsOf(body),
      ...(body.max_depth === undefined ? {} : { maxDepth: body.max_depth }),
    });
    return { status: 200, body: { namespaces: found.items }, headers: headers(page, found) };
  });

  endpoints.on(contract.putStoreItem, async ({ principal, query, body, members, signal }) => {
    const { index, ttl } = body;
    const stored = {
      value: requireValue(members.get('value')),
      // A PUT replaces the whole item (decisions: "store items").
      metadata: members.get('metadata') ?? NO_METADATA,
      ...(index !== undefined && { index }),
      ...(ttl !== undefined && { ttlMinutes: ttl }),
    };
    await store.put(principal, itemKeyOf(query), stored, signal);
    return { status: 204 };
  });

  endpoints.on(contract.getStoreItem, async ({ principal, query }) => {
    const item = await store.get(principal, itemKeyOf(query));
    return { status: 200, body: presentStoreItem(item) };
  });

  endpoints.on(contract.deleteStoreItem, async ({ principal, query }) => {
    await store.delete(principal, itemKeyOf(query));
    return { status: 204 };
  });

  endpoints.on(contract.searchStoreItems, async ({ principal, body, signal }) => {
    const page = pageOf(body);
    const search = {
      ...page,
      prefix: body.namespace,
      ...(body.filter === undefined ? {} : { filter: body.filter }),
      ...(body.query === undefined ? {} : { query: body.query }),
    };
    const found = await store.search(principal, search, signal);
    return {
      status: 200,
      body: { items: found.items.map(presentStoreItem) },
      headers: headers(page, found),
    };
  });
}

/** Spec: Store. The parameter `namespace` is one dot-separated path, or is repeated once per label. */
function itemKeyOf(query: { namespace: string | string[]; key: string }): ItemKey {
  const { namespace, key } = query;
  return { namespace: typeof namespace === 'string' ? namespace.split('.') : namespace, key };
}

function requireValue(value: JsonText | undefined): JsonText {
  if (value !== undefined) return value;
  throw new ServiceError('invalid_request', 'value: is required.', {
    details: { issues: [{ path: 'value', message: 'is required' }] },
  });
}

function pageOf(body: { limit?: number; offset?: number }): { limit: number; offset: number } {
  return { limit: body.limit ?? DEFAULT_LIMIT, offset: body.offset ?? 0 };
}

function conditionsOf(body: { prefix?: string[]; suffix?: string[] }): NamespaceCondition[] {
  const { prefix, suffix } = body;
  return [
    ...(prefix === undefined ? [] : [{ at: 'prefix' as const, labels: prefix }]),
    ...(suffix === undefined ? [] : [{ at: 'suffix' as const, labels: suffix }]),
  ];
}

function headers(page: { offset: number }, found: StorePage<unknown>): Record<string, string> {
  if (found.total === undefined) return {};
  return paginationHeaders(page, { items: found.items, total: found.total });
}
