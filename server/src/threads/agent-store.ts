import { isServiceError, ServiceError } from '../errors/service-error.ts';
import type { JsonText } from '../model/json-text.ts';
import { isClaims, type Claims, type Principal } from '../model/principal.ts';
import type { Namespace, StorePlace } from '../model/store-place.ts';
import type { NamespaceQuery, StoreItem } from '../store/port.ts';
import type { ReadOptions, StoredValue, StoreSearch, StoreService } from './store-service.ts';
import { storeFilter } from './value-filter.ts';

/** The run on whose behalf an agent uses its store. */
interface AgentCaller {
  /** Claims of whoever created the run. */
  principal: unknown;
}

/** What an agent asks for: LangGraph's filter looks into values, never at metadata. */
interface AgentItemQuery extends Pick<
  StoreSearch,
  'prefix' | 'limit' | 'offset' | 'query' | 'refreshTtl'
> {
  filter?: JsonText;
}
type AgentNamespaceQuery = Omit<NamespaceQuery, 'isVisible'>;

/** The store as agents reach it: each call asks the policy about the principal of its run. */
export interface AgentStore {
  /** The item keeps the metadata that it may have. */
  put(caller: AgentCaller, place: StorePlace, stored: Omit<StoredValue, 'metadata'>): Promise<void>;
  get(
    caller: AgentCaller,
    place: StorePlace,
    options?: ReadOptions,
  ): Promise<StoreItem | undefined>;
  delete(caller: AgentCaller, place: StorePlace): Promise<void>;
  /** Rejects with `payload_too_large` instead of leaving out what has no room. */
  search(caller: AgentCaller, query: AgentItemQuery): Promise<StoreItem[]>;
  listNamespaces(caller: AgentCaller, query: AgentNamespaceQuery): Promise<Namespace[]>;
}

/** Makes the agents' store over the one of the API; `principalOf` makes a principal of a run's claims. */
export function createAgentStore(
  store: StoreService,
  principalOf: (claims: Claims) => Principal,
): AgentStore {
  const whose = ({ principal: claims }: AgentCaller): Principal => {
    if (isClaims(claims)) return principalOf(claims);
    throw new ServiceError('permission_denied', 'The run has no principal.');
  };
  return {
    put: async (caller, place, stored) => store.put(whose(caller), place, stored),

    async get(caller, place, options) {
      try {
        return await store.get(whose(caller), place, options);
      } catch (error) {
        if (isServiceError(error) && error.code === 'item_not_found') return undefined;
        throw error;
      }
    },

    delete: async (caller, place) => store.delete(whose(caller), place),

    async search(caller, { filter, ...query }) {
      const matches = filter === undefined ? undefined : storeFilter(filter);
      const wanted = { ...query, ...(matches && { matches }) };
      const { items, isCut } = await store.search(whose(caller), wanted);
      if (isCut !== true) return items;
      throw new ServiceError(
        'payload_too_large',
        'The items that were found are too large for one answer; ask for fewer with `limit`.',
      );
    },

    async listNamespaces(caller, query) {
      const { items } = await store.listNamespaces(whose(caller), query);
      return items;
    },
  };
}
