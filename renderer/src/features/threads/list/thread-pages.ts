import { infiniteQueryOptions, keepPreviousData, type QueryClient } from '@tanstack/react-query';
import { queryInForce, useListQuery } from '../../../state/list-query.ts';
import { searchThreads } from '../../../api/queries/thread-search.ts';
import { filterFrom, queryOf, searchBody } from './thread-filter.ts';

/** The first page is small, so that first rows come at once. */
export const firstLimit = 100;
/** Pages after the first are as large as they may be. */
const pageLimit = 1_000;
/** The list waits this long for its first rows: with them it is drawn once instead of twice. */
const firstRowsWaitMs = 100;

/** The threads that fit a search, page after page. */
export function threadPagesQuery(body: Readonly<Record<string, unknown>>) {
  return infiniteQueryOptions({
    queryKey: ['threads', 'list', body],
    queryFn: async ({ pageParam: cursor, signal }) =>
      searchThreads(body, {
        limit: cursor === undefined ? firstLimit : pageLimit,
        cursor,
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.cursor,
    // They are brought up to date row by row; asking for all of them again would cost too much.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    placeholderData: keepPreviousData,
    gcTime: 60_000,
  });
}

/**
 * Asks for the first threads while the code of the page that shows them is loaded, and gives them a moment. A thread's
 * page does not wait for the list beside it.
 */
export async function readThreadsAhead(
  queryClient: QueryClient,
  query: URLSearchParams,
  threadId: string | undefined,
): Promise<void> {
  const fromAddress = queryOf(filterFrom(query));
  const asked = queryInForce(fromAddress, threadId !== undefined, useListQuery.getState().query);
  const body = searchBody(filterFrom(new URLSearchParams(asked)));
  const read = queryClient.infiniteQuery(threadPagesQuery(body)).then(
    () => undefined,
    // The page asks once more, and tells what it hears.
    () => undefined,
  );
  if (threadId !== undefined) return;
  await Promise.race([read, new Promise((resolve) => setTimeout(resolve, firstRowsWaitMs))]);
}
