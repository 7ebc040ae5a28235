import { ServiceError } from '../errors/service-error.ts';
import type { JsonText } from '../model/json.ts';
import type { Principal } from '../model/principal.ts';
import type { Namespace, ItemKey } from '../model/store/item-key.ts';
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
  requireItemKey,
  requireTtl,
} from './store-input.ts';
import {
  givenConditions,
  givenItem,
  givenList,
  givenItemKey,
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
export class StoreService {
  readonly #ports: StoreServicePorts;
  readonly #storeTtl: NonNullable<StoreServicePorts['storeTtl']>;

  constructor(ports: StoreServicePorts) {
    this.#ports = ports;
    this.#storeTtl = ports.storeTtl ?? (() => plainStore.ttl);
  }

  /** Rejects with `embedding_failed` when the item cannot be indexed; an existing item is then unchanged. */
  async put(
    principal: Principal,
    itemKey: ItemKey,
    { ttlMinutes, index, ...stored }: StoredValue,
    signal: AbortSignal = never(),
  ): Promise<void> {
    const store = this.#requireStore();
    requireItem(itemKey, stored);
    requireTtl(ttlMinutes);
    const existing = await store.head(itemKey);
    const resource = storeItemResource(itemKey, existing?.owner ?? principal.sub);
    const value = this.#ports.policy.permit ? (JSON.parse(stored.value) as unknown) : undefined;
    const given = { ...itemKey, value, index: index ?? null, ttl: ttlMinutes ?? null };
    const question = { principal, operation: 'service:store:put' as const, resource, given };
    const changed = givenItem(
      await requirePermission(this.#ports.policy, question),
      itemKey,
      stored,
    );
    await this.#requireMoved(question, {
      from: itemKey,
      to: changed.itemKey,
      maker: principal.sub,
    });
    requireItem(changed.itemKey, changed.stored);
    const indexed = await this.#ports.storeIndex?.indexed(changed.stored.value, index, signal);
    const minutes = ttlMinutes === undefined ? this.#storeTtl().defaultMinutes : ttlMinutes;
    await store.put({
      ...changed.itemKey,
      ...changed.stored,
      owner: principal.sub,
      ...(index !== undefined && { indexPaths: index }),
      ...(indexed && { indexed }),
      ...(typeof minutes === 'number' && { ttlMs: Math.ceil(minutes * 60_000) }),
    });
  }

  async get(
    principal: Principal,
    itemKey: ItemKey,
    { refreshTtl }: ReadOptions = {},
  ): Promise<StoreItem> {
    const store = this.#requireStore();
    requireItemKey(itemKey);
    const found = await store.get(itemKey);
    const resource = storeItemResource(itemKey, found?.owner);
    const given = { ...itemKey, refresh_ttl: refreshTtl ?? null };
    const question = { principal, operation: 'service:store:get' as const, resource, given };
    const other = givenItemKey(await requirePermission(this.#ports.policy, question), itemKey);
    await this.#requireMoved(question, { from: itemKey, to: other });
    const item = other === itemKey ? found : await store.get(other);
    if (item !== undefined) {
      await this.#refresh(store, [item], refreshTtl);
      return item;
    }
    throw new ServiceError('item_not_found', 'There is no such store item.');
  }

  async delete(principal: Principal, itemKey: ItemKey): Promise<void> {
    const store = this.#requireStore();
    requireItemKey(itemKey);
    const existing = await store.head(itemKey);
    const resource = storeItemResource(itemKey, existing?.owner);
    const given = { ...itemKey };
    const question = { principal, operation: 'service:store:delete' as const, resource, given };
    const other = givenItemKey(await requirePermission(this.#ports.policy, question), itemKey);
    await this.#requireMoved(question, { from: itemKey, to: other });
    await store.delete(other);
  }

  /** Leaves out items that the policy denies, also from the total. */
  async search(
    principal: Principal,
    { query: text, refreshTtl, ...query }: StoreSearch,
    signal: AbortSignal = never(),
  ): Promise<StorePage<StoreItem>> {
    const store = this.#requireStore();
    if (text !== undefined) requireQuery(text);
    requireNamespace('namespace', query.prefix);
    requireFilter(query.filter);
    const resource = storeNamespaceResource(query.prefix);
    const permission = await requirePermission(this.#ports.policy, {
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
    const isPermitted = this.#visibility(principal, 'service:store:get');
    const near = text === undefined ? undefined : await this.#ports.storeIndex?.near(text, signal);
    const found = await store.search({
      ...query,
      ...(near && { near }),
      ...givenSearch(permission, query),
      ...(isPermitted && {
        isVisible: (head) => isPermitted(storeItemResource(head, head.owner)),
      }),
    });
    await this.#refresh(store, found.items, refreshTtl);
    return found;
  }

  /** Leaves out namespaces in the same way. */
  async listNamespaces(
    principal: Principal,
    query: Omit<NamespaceQuery, 'isVisible'>,
  ): Promise<StorePage<Namespace>> {
    const store = this.#requireStore();
    for (const { at, labels } of query.conditions) requireNamespace(at, labels);
    const [first] = query.conditions;
    const resource = storeNamespaceResource(first?.at === 'prefix' ? first.labels : []);
    const permission = await requirePermission(this.#ports.policy, {
      principal,
      operation: 'service:store:list',
      resource,
      given: givenList(query),
    });
    const isPermitted = this.#visibility(principal, 'service:store:list');
    return store.listNamespaces({
      ...query,
      conditions: givenConditions(permission, query),
      ...(isPermitted && {
        isVisible: (namespace) => isPermitted(storeNamespaceResource(namespace)),
      }),
    });
  }

  #requireStore(): StorePort {
    if (this.#ports.store !== undefined) return this.#ports.store;
    throw new ServiceError(
      'store_disabled',
      'The store is switched off; set SERVICE_STORE_PROVIDER to sqlite or postgresql.',
    );
  }

  /** The permission check for one row of a list; undefined when the policy permits everything. */
  #visibility(principal: Principal, operation: Operation) {
    if (this.#ports.policy.permitsEverything === true) return undefined;
    return (resource: Resource): Promise<boolean> =>
      isAlsoPermitted(this.#ports.policy, { principal, operation, resource });
  }

  /** Handlers may move a request to another namespace and key: policy domains must permit that one, too. */
  async #requireMoved(
    { principal, operation }: Pick<PolicyQuestion, 'principal' | 'operation'>,
    { from, to, maker }: { from: ItemKey; to: ItemKey; maker?: string },
  ): Promise<void> {
    if (to === from) return;
    const owner = (await this.#requireStore().head(to))?.owner ?? maker;
    const question = { principal, operation, resource: storeItemResource(to, owner) };
    await requirePermission(
      { isPermitted: (moved) => this.#ports.policy.isPermitted(moved) },
      question,
    );
  }

  /** Reading restarts the time to live of items that expire. */
  async #refresh(
    store: StorePort,
    items: readonly StoreItem[],
    isWanted: boolean | undefined,
  ): Promise<void> {
    const expiring = items.filter(({ ttlMs }) => ttlMs !== undefined);
    if (expiring.length === 0 || !(isWanted ?? this.#storeTtl().refreshOnRead)) return;
    await store.refresh(expiring);
  }
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

/** For callers without a time limit: every step below has its own limit. */
function never(): AbortSignal {
  return new AbortController().signal;
}
