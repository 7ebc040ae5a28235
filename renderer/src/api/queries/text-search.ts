import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { searchRuns } from '../generated/sdk.gen.ts';
import { searchThreads } from './thread-search.ts';
import { runHistoryKeys } from './run-history-keys.ts';
import { threadKeys } from './thread-keys.ts';

/** Threads whose titles are searched here: the service searches the text of runs, and ids by their beginning. */
const recentLimit = 100;

/** The threads of the latest activity, with their titles. */
export const recentThreadsQuery = queryOptions({
  queryKey: threadKeys.recent,
  queryFn: async ({ signal }) => {
    const filter = { order_by: 'last_activity_at' };
    return (await searchThreads(filter, { limit: recentLimit, signal })).threads;
  },
  staleTime: 5_000,
  retry: false,
});

/** Threads with a run whose input, output, error or messages have these words. */
export function threadsWithTextQuery(text: string, limit: number) {
  return queryOptions({
    queryKey: threadKeys.withText(text, limit),
    queryFn: async ({ signal }) => (await searchThreads({ text }, { limit, signal })).threads,
    placeholderData: keepPreviousData,
    staleTime: 5_000,
    retry: false,
  });
}

/** Runs whose input, output, error or messages have these words. */
export function runsWithTextQuery(text: string, limit: number) {
  return queryOptions({
    queryKey: runHistoryKeys.withText(text, limit),
    queryFn: async ({ signal }) => {
      const { data } = await searchRuns({ body: { text, limit }, signal, throwOnError: true });
      return data.runs;
    },
    placeholderData: keepPreviousData,
    staleTime: 5_000,
    retry: false,
  });
}
