import { queryOptions } from '@tanstack/react-query';
import { request } from '../client.ts';
import { threadKeys } from './thread-keys.ts';

/** How many threads have this status, read again all the time; null where the service does not count. */
export function threadCountQuery(status: 'busy' | 'interrupted') {
  return queryOptions({
    queryKey: threadKeys.count(status),
    queryFn: async ({ signal }): Promise<number | null> => {
      const response = await request('/threads/search', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ status, limit: 1 }),
        signal,
      });
      await response.body?.cancel();
      const total = response.headers.get('X-Pagination-Total');
      return total === null ? null : Number(total);
    },
    refetchInterval: 2_000,
    retry: false,
  });
}
