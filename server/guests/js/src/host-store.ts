import { credentials, type ServiceError } from '@grpc/grpc-js';
import type {
  BaseStore,
  Item,
  ListNamespacesOperation,
  Operation,
  OperationResults,
  PutOperation,
  SearchItem,
  SearchOperation,
} from '@langchain/langgraph-checkpoint';
import { errorOfHost } from './guest-error.ts';
import { clientOptions, messageLimits, socketAddress, type GuestProto } from './guest-proto.ts';
import { projectJson } from './json-projection.ts';
import type { LangGraphLibrary } from './langgraph-library.ts';

interface StoreItem {
  namespace: string[];
  key: string;
  valueJson: string;
  createdAt: string;
  updatedAt: string;
  /** Present when `_score` names it. */
  score: number;
  _score?: 'score';
}

/** The host's Store service, one promise per call. */
export interface StoreClient {
  get(request: object): Promise<{ item: StoreItem | null }>;
  put(request: object): Promise<object>;
  delete(request: object): Promise<object>;
  search(request: object): Promise<{ items: StoreItem[] }>;
  listNamespaces(request: object): Promise<{ namespaces: { labels: string[] }[] }>;
}

type Method<Result> = (
  request: object,
  done: (error: ServiceError | null, response: Result) => void,
) => void;

/** Opens the Store service; nothing is sent until an agent uses its store. */
export function openStoreClient(
  proto: GuestProto,
  options: { hostSocket: string; maxMessageBytes: number },
): StoreClient {
  const client = new proto.Store(socketAddress(options.hostSocket), credentials.createInsecure(), {
    ...messageLimits(options.maxMessageBytes),
    ...clientOptions,
  }) as unknown as Record<string, Method<never>>; // its methods are made at run time, from the proto file
  const method =
    <Result>(name: string) =>
    (request: object): Promise<Result> =>
      new Promise((resolve, reject) => {
        client[name]?.(request, (error, response) => {
          if (error === null) resolve(response);
          else reject(errorOfHost(`Store ${name}`, error));
        });
      });
  return {
    get: method('Get'),
    put: method('Put'),
    delete: method('Delete'),
    search: method('Search'),
    listNamespaces: method('ListNamespaces'),
  };
}

/**
 * LangGraph's store over the host's, for one run: the host decides what it reaches. It extends the base
 * class of the agent's own LangGraph, hence the class inside a function. Without an index, `query` and `index` have
 * no effect, as in LangGraph's own stores.
 */
export function createStore(
  library: LangGraphLibrary,
  client: StoreClient,
  token: string,
): BaseStore {
  const execute = async (operation: Operation): Promise<unknown> => {
    if ('namespacePrefix' in operation) return search(client, token, operation);
    if ('value' in operation) return put(client, token, operation);
    if ('key' in operation) {
      const { namespace, key } = operation;
      const { item } = await client.get({ token, namespace, key });
      return item === null ? null : itemOf(item);
    }
    return listNamespaces(client, token, operation);
  };

  class HostStore extends library.BaseStore {
    async batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
      const results: unknown[] = [];
      // In their order: a read in a batch sees the writes before it.
      for (const operation of operations) results.push(await execute(operation));
      return results as OperationResults<Op>; // one result of the operation's kind for each
    }
  }
  return new HostStore();
}

async function put(client: StoreClient, token: string, operation: PutOperation): Promise<void> {
  const { namespace, key, value, index } = operation;
  if (value === null) {
    await client.delete({ token, namespace, key });
    return;
  }
  await client.put({
    token,
    namespace,
    key,
    valueJson: projectJson(value),
    // LangGraph's clients for JavaScript have no `ttl`: the manifest's default holds.
    indexJson: index === undefined || index === null ? '' : JSON.stringify(index),
  });
}

async function search(
  client: StoreClient,
  token: string,
  { namespacePrefix, filter, query, limit, offset }: SearchOperation,
): Promise<SearchItem[]> {
  const { items } = await client.search({
    token,
    namespacePrefix,
    filterJson: filter === undefined ? '' : JSON.stringify(filter),
    limit: limit ?? 10,
    offset: offset ?? 0,
    query: query ?? '',
  });
  return items.map((item) => ({
    ...itemOf(item),
    ...(item._score !== undefined && { score: item.score }),
  }));
}

async function listNamespaces(
  client: StoreClient,
  token: string,
  { matchConditions, maxDepth, limit, offset }: ListNamespacesOperation,
): Promise<string[][]> {
  const conditions = (matchConditions ?? []).map(({ matchType, path }) => ({
    match_type: matchType,
    path,
  }));
  const { namespaces } = await client.listNamespaces({
    token,
    matchJson: conditions.length === 0 ? '' : JSON.stringify(conditions),
    maxDepth: maxDepth ?? 0,
    limit,
    offset,
  });
  return namespaces.map(({ labels }) => labels);
}

function itemOf(item: StoreItem): Item {
  return {
    namespace: item.namespace,
    key: item.key,
    value: JSON.parse(item.valueJson) as Record<string, unknown>, // what put was given
    createdAt: new Date(item.createdAt),
    updatedAt: new Date(item.updatedAt),
  };
}
