import { queryOptions } from '@tanstack/react-query';
import { searchThreads } from './thread-search.ts';
import { threadKeys } from './thread-keys.ts';

/** More than a person answers: the list of threads has the others. */
export const waitingLimit = 100;
/** How often it is looked for changes. */
export const pollEvery = 2_000;

/** The threads that wait for a person, the latest activity first. */
export const waitingThreadsQuery = queryOptions({
  queryKey: threadKeys.waiting,
  queryFn: ({ signal }) =>
    searchThreads(
      { status: 'interrupted', order_by: 'last_activity_at' },
      { limit: waitingLimit, signal },
    ),
  refetchInterval: pollEvery,
  retry: false,
});
