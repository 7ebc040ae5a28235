import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { listRuns } from '../generated/sdk.gen.ts';
import type { Run, Thread } from '../generated/types.gen.ts';
import { searchThreads } from './thread-search.ts';

/** More than a person answers: the list of threads has the others. */
export const waitingLimit = 100;
const pollEvery = 2_000;

/** The threads that wait for a person, the latest activity first. */
export const waitingThreadsQuery = queryOptions({
  queryKey: ['threads', 'waiting'],
  queryFn: ({ signal }) =>
    searchThreads(
      { status: 'interrupted', order_by: 'last_activity_at' },
      { limit: waitingLimit, signal },
    ),
  refetchInterval: pollEvery,
  retry: false,
});

/** The newest run of a thread; null without runs. `isPolled`: the thread itself does not show when it changes. */
export function newestRunQuery(thread: Thread, { isPolled }: { readonly isPolled: boolean }) {
  const { thread_id, last_activity_at = '' } = thread;
  return queryOptions({
    queryKey: ['threads', 'newest-run', thread_id, last_activity_at],
    queryFn: async ({ signal }): Promise<Run | null> => {
      const path = { thread_id };
      const { data } = await listRuns({ path, query: { limit: 1 }, signal, throwOnError: true });
      return data[0] ?? null;
    },
    placeholderData: keepPreviousData,
    refetchInterval: isPolled || last_activity_at === '' ? pollEvery : false,
    retry: false,
  });
}
