import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { listStoreNamespaces, searchStoreItems } from '../../api/generated/sdk.gen.ts';
import type { StoreItem } from '../../api/generated/types.gen.ts';

const page = 100;

/** The first part of the key of everything read from the store. */
export const storeKey = 'store';

/** The paths that have items, the first 1,000. */
export const namespacesQuery = queryOptions({
  queryKey: [storeKey, 'namespaces'],
  queryFn: async ({ signal }) => {
    const { data } = await listStoreNamespaces({
      body: { limit: 1_000 },
      signal,
      throwOnError: true,
    });
    return data.namespaces;
  },
  refetchInterval: 5_000,
  retry: false,
});

interface ItemPage {
  readonly items: readonly StoreItem[];
  /** Where the next page begins; undefined after the last. */
  readonly next: number | undefined;
}

/** The items on a path and below it, page by page. */
export function itemsQuery(namespace: readonly string[], filter: Record<string, unknown>) {
  return infiniteQueryOptions({
    queryKey: [storeKey, 'items', namespace, filter],
    queryFn: async ({ pageParam, signal }): Promise<ItemPage> => {
      const { data, response } = await searchStoreItems({
        body: { namespace: [...namespace], filter, limit: page, offset: pageParam },
        signal,
        throwOnError: true,
      });
      const next = response.headers.get('X-Pagination-Next');
      return { items: data.items, next: next === null ? undefined : Number(next) };
    },
    initialPageParam: 0,
    getNextPageParam: ({ next }) => next,
    refetchInterval: 5_000,
    placeholderData: (before) => before,
    retry: false,
  });
}
