import { isServiceError, ServiceError } from '../errors/service-error.ts';
import type { AgentId, RunUuid, ThreadId } from '../model/ids.ts';
import type { JsonText } from '../model/json.ts';
import { type Claims, isClaims, type Principal } from '../model/principal.ts';
import type { ItemKey, Namespace } from '../model/store/item-key.ts';
import { askFor } from '../policy/asking-request.ts';
import type { NamespaceQuery, StoreItem } from '../store/port.ts';
import type { ReadOptions, StoredValue, StoreSearch, StoreService } from './store-service.ts';
import { storeFilter } from './value-filter.ts';

/** The run, or the state operation outside a run, on whose behalf an agent uses its store. */
interface AgentCaller {
  threadId: ThreadId;
  agentId: AgentId;
  /** Absent outside of runs. */
  runUuid?: RunUuid;
  /** Claims of the principal that created the run. */
  principal: unknown;
}

/** An agent's search: LangGraph's filter applies to values, not to metadata. */
interface AgentItemQuery extends Pick<
  StoreSearch,
  'prefix' | 'limit' | 'offset' | 'query' | 'refreshTtl'
> {
  filter?: JsonText;
}
type AgentNamespaceQuery = Omit<NamespaceQuery, 'isVisible'>;

/** The store as agents use it: each call asks the policy about the principal of its run. */
export interface AgentStore {
  /** An existing item keeps its metadata. */
  put(caller: AgentCaller, itemKey: ItemKey, stored: Omit<StoredValue, 'metadata'>): Promise<void>;
  get(caller: AgentCaller, itemKey: ItemKey, options?: ReadOptions): Promise<StoreItem | undefined>;
  delete(caller: AgentCaller, itemKey: ItemKey): Promise<void>;
  /** Rejects with `payload_too_large` instead of leaving out items that do not fit. */
  search(caller: AgentCaller, query: AgentItemQuery): Promise<StoreItem[]>;
  listNamespaces(caller: AgentCaller, query: AgentNamespaceQuery): Promise<Namespace[]>;
}

/** Makes the agents' store from the one of the API; `principalOf` makes a principal from a run's claims. */
export function createAgentStore(
  store: StoreService,
  principalOf: (claims: Claims) => Principal,
): AgentStore {
  /** Runs `work` as the run's principal, and passes the run's ids to policies. */
  async function as<T>(caller: AgentCaller, work: (who: Principal) => Promise<T>): Promise<T> {
    const { principal: claims, threadId, agentId, runUuid } = caller;
    if (!isClaims(claims)) {
      throw new ServiceError('permission_denied', 'The run has no principal.');
    }
    const run = runUuid === undefined ? {} : { caller_run_id: runUuid };
    const context = { agent: agentId, thread_id: threadId, ...run };
    return askFor(context, () => work(principalOf(claims)));
  }

  return {
    put: async (caller, itemKey, stored) => as(caller, (who) => store.put(who, itemKey, stored)),

    async get(caller, itemKey, options) {
      try {
        return await as(caller, (who) => store.get(who, itemKey, options));
      } catch (error) {
        if (isServiceError(error) && error.code === 'item_not_found') return undefined;
        throw error;
      }
    },

    delete: async (caller, itemKey) => as(caller, (who) => store.delete(who, itemKey)),

    async search(caller, { filter, ...query }) {
      const matches = filter === undefined ? undefined : storeFilter(filter);
      const wanted = { ...query, ...(matches && { matches }) };
      const { items, isCut } = await as(caller, (who) => store.search(who, wanted));
      if (isCut !== true) return items;
      throw new ServiceError(
        'payload_too_large',
        'The items that were found are too large for one response; ask for fewer with `limit`.',
      );
    },

    async listNamespaces(caller, query) {
      const { items } = await as(caller, (who) => store.listNamespaces(who, query));
      return items;
    },
  };
}
