import type { handleUnaryCall, UntypedServiceImplementation } from '@grpc/grpc-js';
import { ServiceError } from '../../errors/service-error.ts';
import { jsonText } from '../../model/json.ts';
import { grpcFailure } from './grpc-failure.ts';
import type { GuestCaller, Logger } from '../port.ts';
import type {
  StoreDeleteRequestMessage,
  StoreGetRequestMessage,
  StoreItemMessage,
  StoreListNamespacesRequestMessage,
  StorePutRequestMessage,
  StoreSearchRequestMessage,
} from './proto-messages.ts';
import type { GuestNamespaceQuery, GuestStoreItem, GuestStorePort } from './store-port.ts';

/** The default limit of a LangGraph store. */
const defaultLimit = 10;

export interface StoreServiceOptions {
  store: GuestStorePort;
  /** The caller of a token; undefined when the token is not that of a run. */
  callerOf: (token: string) => GuestCaller | undefined;
  logger: Logger;
}

/** The handlers of guest.proto's Store: they translate, the port decides. */
export function storeService(options: StoreServiceOptions): UntypedServiceImplementation {
  const { store, callerOf, logger } = options;

  const unary =
    <Request extends { token?: string }>(
      work: (caller: GuestCaller, request: Request) => Promise<object>,
    ): handleUnaryCall<Request, object> =>
    (call, callback) => {
      const run = async (): Promise<object> => {
        const caller = callerOf(call.request.token ?? '');
        if (caller) return work(caller, call.request);
        throw new ServiceError('permission_denied', 'The token is not that of a run.');
      };
      run().then(
        (response) => callback(null, response),
        (error: unknown) => callback(grpcFailure(error, logger, 'the store could not be used')),
      );
    };

  return {
    Put: unary<StorePutRequestMessage>(async (caller, request) => {
      await store.put(caller, itemKeyOf(request), {
        value: jsonText(request.value_json || 'null'),
        ...(request.index_json && { index: readIndex(request.index_json) }),
        ...(request.ttl_json && { ttlMinutes: readTtl(request.ttl_json) }),
      });
      return {};
    }),
    Get: unary<StoreGetRequestMessage>(async (caller, request) => {
      const item = await store.get(caller, itemKeyOf(request), refreshOf(request));
      return item ? { item: itemMessage(item) } : {};
    }),
    Delete: unary<StoreDeleteRequestMessage>(async (caller, request) => {
      await store.delete(caller, itemKeyOf(request));
      return {};
    }),
    Search: unary<StoreSearchRequestMessage>(async (caller, request) => {
      const items = await store.search(caller, {
        prefix: request.namespace_prefix,
        ...(request.filter_json ? { filter: jsonText(request.filter_json) } : {}),
        ...(request.query && { query: request.query }),
        ...refreshOf(request),
        limit: request.limit || defaultLimit,
        offset: request.offset ?? 0,
      });
      return { items: items.map(itemMessage) };
    }),
    ListNamespaces: unary<StoreListNamespacesRequestMessage>(async (caller, request) => {
      const namespaces = await store.listNamespaces(caller, namespaceQuery(request));
      return { namespaces: namespaces.map((labels) => ({ labels: [...labels] })) };
    }),
  };
}

function itemKeyOf({ namespace, key = '' }: StoreDeleteRequestMessage): {
  namespace: string[];
  key: string;
} {
  return { namespace, key };
}

function refreshOf({ refresh_ttl: refreshTtl }: Pick<StoreGetRequestMessage, 'refresh_ttl'>): {
  refreshTtl?: boolean;
} {
  return refreshTtl === undefined ? {} : { refreshTtl };
}

/** `false` or a list of paths. */
function readIndex(json: string): false | string[] {
  const index: unknown = JSON.parse(json);
  if (index === false) return index;
  if (Array.isArray(index) && index.every((path) => typeof path === 'string')) return index;
  throw new ServiceError('invalid_request', '`index` is false or a list of paths.');
}

/** Minutes, or `null`. */
function readTtl(json: string): number | null {
  const ttl: unknown = JSON.parse(json);
  if (ttl === null || typeof ttl === 'number') return ttl;
  throw new ServiceError('invalid_request', '`ttl` is a number of minutes.');
}

function itemMessage(item: GuestStoreItem): StoreItemMessage {
  return {
    namespace: [...item.namespace],
    key: item.key,
    value_json: item.value,
    created_at: new Date(item.createdAt).toISOString(),
    updated_at: new Date(item.updatedAt).toISOString(),
    ...(item.score !== undefined && { score: item.score }),
  };
}

function namespaceQuery(request: StoreListNamespacesRequestMessage): GuestNamespaceQuery {
  return {
    conditions: request.match_json ? readConditions(request.match_json) : [],
    ...(request.max_depth ? { maxDepth: request.max_depth } : {}),
    limit: request.limit || defaultLimit,
    offset: request.offset ?? 0,
  };
}

/** LangGraph's match conditions: `[{match_type, path}]`. */
function readConditions(json: string): GuestNamespaceQuery['conditions'] {
  const conditions = JSON.parse(json) as { match_type?: unknown; path?: unknown }[]; // checked below
  return conditions.map(({ match_type: at, path }) => {
    if ((at !== 'prefix' && at !== 'suffix') || !Array.isArray(path)) {
      const message = 'A condition on namespaces has a match_type (prefix, suffix) and a path.';
      throw new ServiceError('invalid_request', message);
    }
    return { at, labels: path.map(String) };
  });
}
