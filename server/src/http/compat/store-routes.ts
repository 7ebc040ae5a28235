import { z } from 'zod';
import { asksItem, asksItems, asksNamespaces } from '../../contract/permissions.ts';
import { isServiceError } from '../../errors/service-error.ts';
import { jsonText, toJsonText } from '../../model/json.ts';
import type { StoreItem } from '../../store/port.ts';
import type { StoreService } from '../../threads/store-service.ts';
import { storeFilter } from '../../threads/value-filter.ts';
import type { Endpoints } from '../endpoint.ts';
import { presentStoreItem } from '../response/present.ts';
import { compatRoute, optional } from './compat-route.ts';

const labels = z.array(z.string());
const put = compatRoute('put', '/store/items', {
  asks: asksItem('put'),
  body: z.object({
    namespace: labels,
    key: z.string(),
    value: z.record(z.string(), z.unknown()),
    index: optional(z.union([z.literal(false), labels])),
    ttl: z.exactOptional(z.number().nullable()),
  }),
});
const get = compatRoute('get', '/store/items', {
  asks: asksItem('get'),
  query: z.object({
    namespace: z.exactOptional(z.union([z.string(), labels])),
    key: z.string(),
    refresh_ttl: z.exactOptional(z.string()),
  }),
  changes: ({ refresh_ttl: refresh }) => typeof refresh !== 'string' || isTrue(refresh),
});
const remove = compatRoute('delete', '/store/items', {
  asks: asksItem('delete'),
  body: z.object({ namespace: optional(labels), key: z.string() }),
});
const page = {
  limit: optional(z.int().min(1).max(1000)),
  offset: optional(z.int().min(0)),
};
const search = compatRoute('post', '/store/items/search', {
  asks: asksItems,
  body: z.object({
    namespace_prefix: optional(labels),
    filter: optional(z.record(z.string(), z.unknown())),
    query: optional(z.string()),
    refresh_ttl: optional(z.boolean()),
    ...page,
  }),
});
const namespaces = compatRoute('post', '/store/namespaces', {
  asks: asksNamespaces,
  body: z.object({
    prefix: optional(labels),
    suffix: optional(labels),
    max_depth: optional(z.int().min(1).max(2000)),
    ...page,
  }),
});

export const storeContracts = [put, get, remove, search, namespaces];

/** The store: items of LangGraph's BaseStore, the same that agents see. */
export function compatStoreRoutes(endpoints: Endpoints, services: { store: StoreService }): void {
  const { store } = services;

  endpoints.on(put, async ({ principal, body, members, signal }) => {
    const { namespace, key, index, ttl } = body;
    const stored = {
      value: members.get('value') ?? toJsonText(body.value),
      ...(index !== undefined && { index }),
      ...(ttl !== undefined && { ttlMinutes: ttl }),
    };
    await store.put(principal, { namespace, key }, stored, signal);
    return { status: 204 };
  });

  endpoints.on(get, async ({ principal, query }) => {
    const { namespace = [], key, refresh_ttl: refresh } = query;
    const itemKey = { namespace: [namespace].flat().flatMap((path) => path.split('.')), key };
    const options = refresh === undefined ? {} : { refreshTtl: isTrue(refresh) };
    try {
      return { status: 200, body: presentItem(await store.get(principal, itemKey, options)) };
    } catch (error) {
      if (isServiceError(error) && error.code === 'item_not_found') {
        return { status: 200, body: null };
      }
      throw error;
    }
  });

  endpoints.on(remove, async ({ principal, body }) => {
    await store.delete(principal, { namespace: body.namespace ?? [], key: body.key });
    return { status: 204 };
  });

  endpoints.on(search, async ({ principal, body, signal }) => {
    const { namespace_prefix: prefix = [], limit = 10, offset = 0, query } = body;
    const hasFilter = body.filter !== undefined && Object.keys(body.filter).length > 0;
    const search = {
      prefix,
      limit,
      offset,
      ...(hasFilter && { matches: storeFilter(toJsonText(body.filter)) }),
      ...(query !== undefined && { query }),
      ...(body.refresh_ttl !== undefined && { refreshTtl: body.refresh_ttl }),
    };
    const found = await store.search(principal, search, signal);
    const items = found.items.map((item) => ({ ...presentItem(item), score: item.score ?? null }));
    return { status: 200, body: { items } };
  });

  endpoints.on(namespaces, async ({ principal, body }) => {
    const { prefix, suffix, max_depth: maxDepth, limit = 100, offset = 0 } = body;
    const found = await store.listNamespaces(principal, {
      conditions: [
        ...(prefix === undefined ? [] : [{ at: 'prefix' as const, labels: prefix }]),
        ...(suffix === undefined ? [] : [{ at: 'suffix' as const, labels: suffix }]),
      ],
      ...(maxDepth !== undefined && { maxDepth }),
      limit,
      offset,
    });
    return { status: 200, body: { namespaces: found.items } };
  });
}

/** LangGraph's items have no metadata. */
function presentItem(item: StoreItem): object {
  const { metadata: _, ...shown } = presentStoreItem({ ...item, metadata: jsonText('{}') });
  return shown;
}

/** Accepts `True`, as the Python client writes it. */
function isTrue(text: string): boolean {
  return text.toLowerCase() === 'true';
}
