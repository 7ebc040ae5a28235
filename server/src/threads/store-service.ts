import { ServiceError } from '../errors/service-error.ts';
import type { JsonText } from '../model/json.ts';
import type { Principal } from '../model/principal.ts';
import type { Namespace, StorePlace } from '../model/store/store-place.ts';
import {
  plainStore,
  type IndexPaths,
  type StoreTtlSettings,
} from '../model/store/store-settings.ts';
import type { Operation, PolicyPort, PolicyQuestion, Resource } from '../policy/port.ts';
import { isAlsoPermitted, requirePermission } from '../policy/require-permission.ts';
import { storeItemResource, storeNamespaceResource } from '../policy/resources.ts';
import type { ItemQuery, NamespaceQuery, StoreItem, StorePage, StorePort } from '../store/port.ts';
import { requireQuery, type StoreIndex } from './store-index.ts';
import {
  requireFilter,
  requireItem,
  requireNamespace,
  requirePlace,
  requireTtl,
} from './store-input.ts';
import {
  givenConditions,
  givenItem,
  givenList,
  givenPlace,
  givenSearch,
} from './store-permission.ts';

/** The data and settings of a put. */
export interface StoredValue {
  value: JsonText;
  /** A JSON object; absent: an existing item keeps its metadata. */
  metadata?: JsonText;
  /** How long the item is kept; null: until it is deleted; absent: the manifest's default. */
  ttlMinutes?: number | null;
  /** Which paths are embedded; absent: those of the manifest. Ignored without an index. */
  index?: IndexPaths;
}

/** How an item is read. */
export interface ReadOptions {
  /** Restarts the item's time to live, if it has one; absent: the manifest's setting. */
  refreshTtl?: boolean;
}

/** A search of the store. */
export interface StoreSearch extends Omit<ItemQuery, 'isVisible' | 'near'>, ReadOptions {
  /** Sorts by similarity, best match first. Ignored without an index. */
  query?: string;
}

/**
 * The store as requests and runs use it (spec: Endpoints, Store). Every method throws `store_disabled` without a
 * database.
 */
export interface StoreService {
  /** Rejects with `embedding_failed` when the item cannot be indexed; an existing item is then unchanged. */
  put(
    principal: Principal,
    place: StorePlace,
    stored: StoredValue,
    signal?: AbortSignal,
  ): Promise<void>;
  get(principal: Principal, place: StorePlace, options?: ReadOptions): Promise<StoreItem>;
  delete(principal: Principal, place: StorePlace): Promise<void>;
  /** Leaves out items that the policy denies, also from the total. */
  search(
    principal: Principal,
    search: StoreSearch,
    signal?: AbortSignal,
  ): Promise<StorePage<StoreItem>>;
  /** Leaves out namespaces in the same way. */
  listNamespaces(
    principal: Principal,
    query: Omit<NamespaceQuery, 'isVisible'>,
  ): Promise<StorePage<Namespace>>;
}

/** The ports that the service uses. */
export interface StoreServicePorts {
  store?: StorePort;
  policy: PolicyPort;
  /** The manifest's current times to live. */
  storeTtl?: () => StoreTtlSettings;
  /** Absent: there is no search by meaning. */
  storeIndex?: StoreIndex;
}

/** Makes the service over its ports. */
export function createStoreService(ports: StoreServicePorts): StoreService {
  const { policy, storeIndex, storeTtl = () => plainStore.ttl } = ports;

  function requireStore(): StorePort {
    if (ports.store !== undefined) return ports.store;
    throw new ServiceError(
      'store_disabled',
      'The store is switched off; set SERVICE_STORE_PROVIDER to sqlite or postgresql.',
    );
  }

  /** The permission check for one row of a list; undefined when the policy permits everything. */
  function visibility(principal: Principal, operation: Operation) {
    if (policy.permitsEverything === true) return undefined;
    return (resource: Resource): Promise<boolean> =>
      isAlsoPermitted(policy, { principal, operation, resource });
  }

  /** Handlers may move a request to another namespace and key: policy domains must permit that one, too. */
  async function requireMoved(
    { principal, operation }: Pick<PolicyQuestion, 'principal' | 'operation'>,
    { from, to, maker }: { from: StorePlace; to: StorePlace; maker?: string },
  ): Promise<void> {
    if (to === from) return;
    const owner = (await requireStore().head(to))?.owner ?? maker;
    const question = { principal, operation, resource: storeItemResource(to, owner) };
    await requirePermission({ isPermitted: (moved) => policy.isPermitted(moved) }, question);
  }

  /** Reading restarts the time to live of items that expire. */
  async function refresh(
    store: StorePort,
    items: readonly StoreItem[],
    isWanted: boolean | undefined,
  ): Promise<void> {
    const expiring = items.filter(({ ttlMs }) => ttlMs !== undefined);
    if (expiring.length === 0 || !(isWanted ?? storeTtl().refreshOnRead)) return;
    await store.refresh(expiring);
  }

  return {
    async put(principal, place, { ttlMinutes, index, ...stored }, signal = never()) {
      const store = requireStore();
      requireItem(place, stored);
      requireTtl(ttlMinutes);
      const existing = await store.head(place);
      const resource = storeItemResource(place, existing?.owner ?? principal.sub);
      const value = policy.permit ? (JSON.parse(stored.value) as unknown) : undefined;
      const given = { ...place, value, index: index ?? null, ttl: ttlMinutes ?? null };
      const question = { principal, operation: 'service:store:put' as const, resource, given };
      const changed = givenItem(await requirePermission(policy, question), place, stored);
      await requireMoved(question, { from: place, to: changed.place, maker: principal.sub });
      requireItem(changed.place, changed.stored);
      const indexed = await storeIndex?.indexed(changed.stored.value, index, signal);
      const minutes = ttlMinutes === undefined ? storeTtl().defaultMinutes : ttlMinutes;
      await store.put({
        ...changed.place,
        ...changed.stored,
        owner: principal.sub,
        ...(index !== undefined && { indexPaths: index }),
        ...(indexed && { indexed }),
        ...(typeof minutes === 'number' && { ttlMs: Math.ceil(minutes * 60_000) }),
      });
    },

    async get(principal, place, { refreshTtl } = {}) {
      const store = requireStore();
      requirePlace(place);
      const found = await store.get(place);
      const resource = storeItemResource(place, found?.owner);
      const given = { ...place, refresh_ttl: refreshTtl ?? null };
      const question = { principal, operation: 'service:store:get' as const, resource, given };
      const other = givenPlace(await requirePermission(policy, question), place);
      await requireMoved(question, { from: place, to: other });
      const item = other === place ? found : await store.get(other);
      if (item !== undefined) {
        await refresh(store, [item], refreshTtl);
        return item;
      }
      throw new ServiceError('item_not_found', 'There is no such store item.');
    },

    async delete(principal, place) {
      const store = requireStore();
      requirePlace(place);
      const existing = await store.head(place);
      const resource = storeItemResource(place, existing?.owner);
      const given = { ...place };
      const question = { principal, operation: 'service:store:delete' as const, resource, given };
      const other = givenPlace(await requirePermission(policy, question), place);
      await requireMoved(question, { from: place, to: other });
      await store.delete(other);
    },

    async search(principal, { query: text, refreshTtl, ...query }, signal = never()) {
      const store = requireStore();
      if (text !== undefined) requireQuery(text);
      requireNamespace('namespace', query.prefix);
      requireFilter(query.filter);
      const resource = storeNamespaceResource(query.prefix);
      const permission = await requirePermission(policy, {
        principal,
        operation: 'service:store:search',
        resource,
        given: {
          namespace: query.prefix,
          filter: query.filter ?? null,
          limit: query.limit,
          offset: query.offset,
          query: text ?? null,
          refresh_ttl: refreshTtl ?? null,
        },
      });
      const isPermitted = visibility(principal, 'service:store:get');
      const near = text === undefined ? undefined : await storeIndex?.near(text, signal);
      const found = await store.search({
        ...query,
        ...(near && { near }),
        ...givenSearch(permission, query),
        ...(isPermitted && {
          isVisible: (head) => isPermitted(storeItemResource(head, head.owner)),
        }),
      });
      await refresh(store, found.items, refreshTtl);
      return found;
    },

    async listNamespaces(principal, query) {
      const store = requireStore();
      for (const { at, labels } of query.conditions) requireNamespace(at, labels);
      const [first] = query.conditions;
      const resource = storeNamespaceResource(first?.at === 'prefix' ? first.labels : []);
      const permission = await requirePermission(policy, {
        principal,
        operation: 'service:store:list',
        resource,
        given: givenList(query),
      });
      const isPermitted = visibility(principal, 'service:store:list');
      return store.listNamespaces({
        ...query,
        conditions: givenConditions(permission, query),
        ...(isPermitted && {
          isVisible: (namespace) => isPermitted(storeNamespaceResource(namespace)),
        }),
      });
    },
  };
}

/** For callers without a time limit: every step below has its own limit. */
function never(): AbortSignal {
  return new AbortController().signal;
}
