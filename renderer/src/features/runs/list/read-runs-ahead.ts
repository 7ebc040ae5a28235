import type { QueryClient } from '@tanstack/react-query';
import { runPagesQuery } from '../../../api/queries/run-search.ts';
import { filterFrom, searchBody } from './runs-filter.ts';

/** The list waits this long for its first rows: with them it is rendered once instead of twice. */
const firstRowsWaitMs = 100;

/** Prefetches the first runs while the code of the page that shows them is loaded, and waits a short time for them. */
export async function readRunsAhead(
  queryClient: QueryClient,
  query: URLSearchParams,
): Promise<void> {
  const read = queryClient.infiniteQuery(runPagesQuery(searchBody(filterFrom(query)))).then(
    () => undefined,
    // The page fetches again, and shows a failure.
    () => undefined,
  );
  await Promise.race([read, new Promise((resolve) => setTimeout(resolve, firstRowsWaitMs))]);
}
