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
const page = {
  limit: optional(z.int().min(1).max(1000)),
  offset: optional(z.int().min(0)),
};

/** The routes of the store, under the base path of an API. */
export function storeRoutesUnder(route: typeof compatRoute) {
  return {
    put: route('put', '/store/items', {
      asks: asksItem('put'),
      body: z.object({
        namespace: labels,
        key: z.string(),
        value: z.record(z.string(), z.unknown()),
        index: optional(z.union([z.literal(false), labels])),
        ttl: z.exactOptional(z.number().nullable()),
      }),
    }),
    get: route('get', '/store/items', {
      asks: asksItem('get'),
      query: z.object({
        namespace: z.exactOptional(z.union([z.string(), labels])),
        key: z.string(),
        refresh_ttl: z.exactOptional(z.string()),
      }),
      changes: ({ refresh_ttl: refresh }) => typeof refresh !== 'string' || isTrue(refresh),
    }),
    remove: route('delete', '/store/items', {
      asks: asksItem('delete'),
      body: z.object({ namespace: optional(labels), key: z.string() }),
    }),
    search: route('post', '/store/items/search', {
      asks: asksItems,
      body: z.object({
        namespace_prefix: optional(labels),
        filter: optional(z.record(z.string(), z.unknown())),
        query: optional(z.string()),
        refresh_ttl: optional(z.boolean()),
        ...page,
      }),
    }),
    namespaces: route('post', '/store/namespaces', {
      asks: asksNamespaces,
      body: z.object({
        prefix: optional(labels),
        suffix: optional(labels),
        max_depth: optional(z.int().min(1).max(2000)),
        ...page,
      }),
    }),
  };
}

type StoreContracts = ReturnType<typeof storeRoutesUnder>;

/** In what APIs differ. */
export interface StoreForm {
  /** The labels of a `namespace` in a query. */
  labelsOf(given: string[]): string[];
  /** What is responded for an item that does not exist; throws to refuse. */
  missing(error: unknown): unknown;
  presentNamespaces(found: readonly (readonly string[])[]): unknown;
}

const contracts = storeRoutesUnder(compatRoute);
export const storeContracts = Object.values(contracts);

const compatForm: StoreForm = {
  labelsOf: (given) => given.flatMap((path) => path.split('.')),
  missing: () => null,
  presentNamespaces: (namespaces) => ({ namespaces }),
};

/** The store as LangGraph Server has it. */
export function compatStoreRoutes(endpoints: Endpoints, services: { store: StoreService }): void {
  storeRoutes(endpoints, services, contracts, compatForm);
}

/** The store: items of LangGraph's BaseStore, the same that agents see. */
export function storeRoutes(
  endpoints: Endpoints,
  { store }: { store: StoreService },
  { put, get, remove, search, namespaces }: StoreContracts,
  form: StoreForm,
): void {
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
    const itemKey = { namespace: form.labelsOf([namespace].flat()), key };
    const options = refresh === undefined ? {} : { refreshTtl: isTrue(refresh) };
    try {
      return { status: 200, body: presentItem(await store.get(principal, itemKey, options)) };
    } catch (error) {
      if (isServiceError(error) && error.code === 'item_not_found') {
        return { status: 200, body: form.missing(error) };
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
    return { status: 200, body: form.presentNamespaces(found.items) };
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
