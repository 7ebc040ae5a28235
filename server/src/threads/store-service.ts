import { ServiceError } from '../errors/service-error.ts';
import type { JsonText } from '../model/json-text.ts';
import type { Principal } from '../model/principal.ts';
import type { Namespace, StorePlace } from '../model/store-place.ts';
import type { Operation, PolicyPort, Resource } from '../policy/port.ts';
import { requirePermission } from '../policy/require-permission.ts';
import { storeItemResource, storeNamespaceResource } from '../policy/resources.ts';
import type { ItemQuery, NamespaceQuery, StoreItem, StorePage, StorePort } from '../store/port.ts';
import { requireFilter, requireItem, requireNamespace, requirePlace } from './store-input.ts';

/** What is stored at a place. */
export interface StoredValue {
  value: JsonText;
  /** A JSON object; absent: an item that is there keeps what it has. */
  metadata?: JsonText;
}

/** The store as requests and runs use it (spec: Endpoints, Store). Everything is `store_disabled` without a database. */
export interface StoreService {
  put(principal: Principal, place: StorePlace, stored: StoredValue): Promise<void>;
  get(principal: Principal, place: StorePlace): Promise<StoreItem>;
  delete(principal: Principal, place: StorePlace): Promise<void>;
  /** Items that the policy denies are left out, also from the total. */
  search(principal: Principal, query: Omit<ItemQuery, 'isVisible'>): Promise<StorePage<StoreItem>>;
  /** Likewise. */
  listNamespaces(
    principal: Principal,
    query: Omit<NamespaceQuery, 'isVisible'>,
  ): Promise<StorePage<Namespace>>;
}

/** Makes the service over its ports. */
export function createStoreService(ports: { store?: StorePort; policy: PolicyPort }): StoreService {
  const { policy } = ports;

  function requireStore(): StorePort {
    if (ports.store !== undefined) return ports.store;
    throw new ServiceError(
      'store_disabled',
      'The store is switched off; set SERVICE_STORE_PROVIDER to sqlite or postgresql.',
    );
  }

  /** The question for one row of a list; undefined when every answer would be yes. */
  function visibility(principal: Principal, operation: Operation) {
    if (policy.permitsEverything === true) return undefined;
    return async (resource: Resource): Promise<boolean> => {
      try {
        return await policy.isPermitted({ principal, operation, resource });
      } catch {
        return false; // an error while deciding is a denial
      }
    };
  }

  return {
    async put(principal, place, stored) {
      const store = requireStore();
      requireItem(place, stored);
      const existing = await store.head(place);
      const resource = storeItemResource(place, existing?.owner ?? principal.sub);
      await requirePermission(policy, { principal, operation: 'service:store:put', resource });
      await store.put({ ...place, ...stored, owner: principal.sub });
    },

    async get(principal, place) {
      const store = requireStore();
      requirePlace(place);
      const item = await store.get(place);
      const resource = storeItemResource(place, item?.owner);
      await requirePermission(policy, { principal, operation: 'service:store:get', resource });
      if (item !== undefined) return item;
      throw new ServiceError('item_not_found', 'There is no such store item.');
    },

    async delete(principal, place) {
      const store = requireStore();
      requirePlace(place);
      const existing = await store.head(place);
      const resource = storeItemResource(place, existing?.owner);
      await requirePermission(policy, { principal, operation: 'service:store:delete', resource });
      await store.delete(place);
    },

    async search(principal, query) {
      const store = requireStore();
      requireNamespace('namespace', query.prefix);
      requireFilter(query.filter);
      const resource = storeNamespaceResource(query.prefix);
      await requirePermission(policy, { principal, operation: 'service:store:search', resource });
      const isPermitted = visibility(principal, 'service:store:get');
      return store.search({
        ...query,
        ...(isPermitted && {
          isVisible: (head) => isPermitted(storeItemResource(head, head.owner)),
        }),
      });
    },

    async listNamespaces(principal, query) {
      const store = requireStore();
      for (const { at, labels } of query.conditions) requireNamespace(at, labels);
      const [first] = query.conditions;
      const resource = storeNamespaceResource(first?.at === 'prefix' ? first.labels : []);
      await requirePermission(policy, { principal, operation: 'service:store:list', resource });
      const isPermitted = visibility(principal, 'service:store:list');
      return store.listNamespaces({
        ...query,
        ...(isPermitted && {
          isVisible: (namespace) => isPermitted(storeNamespaceResource(namespace)),
        }),
      });
    },
  };
}
