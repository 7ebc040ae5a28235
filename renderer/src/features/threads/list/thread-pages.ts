import { infiniteQueryOptions, keepPreviousData, type QueryClient } from '@tanstack/react-query';
import { queryInForce, useListQuery } from '../../../state/list-query.ts';
import { readAhead } from '../../../api/read-ahead.ts';
import { searchThreads } from '../../../api/queries/thread-search.ts';
import { filterFrom, queryOf, searchBody } from './thread-filter.ts';
import { threadKeys } from '../../../api/queries/thread-keys.ts';

/** The first page is small, so that its rows arrive quickly. */
export const firstLimit = 100;
/** Pages after the first are as large as allowed. */
const pageLimit = 1_000;

/** The threads that match a search, page after page. */
export function threadPagesQuery(body: Readonly<Record<string, unknown>>) {
  return infiniteQueryOptions({
    queryKey: threadKeys.pages(body),
    queryFn: async ({ pageParam: cursor, signal }) =>
      searchThreads(body, {
        limit: cursor === undefined ? firstLimit : pageLimit,
        cursor,
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.cursor,
    // They are updated row by row; fetching all of them again would cost too much.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    placeholderData: keepPreviousData,
    gcTime: 60_000,
  });
}

/**
 * Prefetches the first threads while the code of the page that shows them is loaded, and waits a short time for them. A
 * thread's page does not wait for the list next to it.
 */
export async function readThreadsAhead(
  queryClient: QueryClient,
  query: URLSearchParams,
  threadId: string | undefined,
): Promise<void> {
  const fromUrl = queryOf(filterFrom(query));
  const filterQuery = queryInForce(fromUrl, threadId !== undefined, useListQuery.getState().query);
  const body = searchBody(filterFrom(new URLSearchParams(filterQuery)));
  const ahead = readAhead(queryClient.infiniteQuery(threadPagesQuery(body)));
  if (threadId === undefined) await ahead;
}
