import type { sendUnaryData, ServerUnaryCall } from '@grpc/grpc-js';

interface StoredItem {
  namespace: string[];
  key: string;
  valueJson: string;
  createdAt: string;
  updatedAt: string;
}

interface StoreRequest {
  token: string;
  namespace: string[];
  key: string;
  valueJson: string;
  namespacePrefix: string[];
  filterJson: string;
  limit: number;
}

const at = '2026-01-02T03:04:05.000Z';

/** The Store service over memory, as far as the tests go. */
export function memoryStoreService() {
  const items = new Map<string, StoredItem>();
  const itemKey = ({ namespace, key }: StoreRequest): string => JSON.stringify([namespace, key]);
  const unary =
    (handle: (request: StoreRequest) => object) =>
    ({ request }: ServerUnaryCall<StoreRequest, object>, reply: sendUnaryData<object>): void =>
      reply(null, handle(request));
  return {
    Put: unary((request) => {
      const { namespace, key, valueJson } = request;
      items.set(itemKey(request), { namespace, key, valueJson, createdAt: at, updatedAt: at });
      return {};
    }),
    Get: unary((request) => ({ item: items.get(itemKey(request)) ?? null })),
    Delete: unary((request) => {
      items.delete(itemKey(request));
      return {};
    }),
    Search: unary(({ namespacePrefix, filterJson, limit }) => {
      const filter = filterJson === '' ? {} : (JSON.parse(filterJson) as Record<string, unknown>); // an object
      const found = [...items.values()].filter(({ namespace, valueJson }) => {
        const value = JSON.parse(valueJson) as Record<string, unknown>; // an object
        return (
          namespacePrefix.every((label, index) => namespace[index] === label) &&
          Object.entries(filter).every(([key, wanted]) => value[key] === wanted)
        );
      });
      return { items: found.slice(0, limit) };
    }),
    ListNamespaces: unary(() => ({
      namespaces: [...items.values()].map(({ namespace }) => ({ labels: namespace })),
    })),
  };
}
