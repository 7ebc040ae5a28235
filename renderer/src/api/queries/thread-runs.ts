import { queryOptions } from '@tanstack/react-query';
import { listRuns } from '../generated/sdk.gen.ts';
import type { Run } from '../generated/types.gen.ts';
import { threadKeys } from './thread-keys.ts';

/** The most that one list has; the runs of a longer thread are not all known. */
export const runListLimit = 1_000;

/** The runs of a thread, newest first; read again for another `asOf`. */
export function runListQuery(threadId: string, asOf = '') {
  return queryOptions({
    queryKey: threadKeys.runList(threadId, asOf),
    queryFn: async ({ signal }) => {
      const path = { thread_id: threadId };
      const query = { limit: runListLimit };
      return (await listRuns({ path, query, signal, throwOnError: true })).data;
    },
  });
}

/** The newest run of a thread; null without runs. Read again for another `lastActivity`. */
export function newestRunQuery(threadId: string, lastActivity = '') {
  return queryOptions({
    queryKey: threadKeys.newestRun(threadId, lastActivity),
    queryFn: async ({ signal }): Promise<Run | null> => {
      const path = { thread_id: threadId };
      const { data } = await listRuns({ path, query: { limit: 1 }, signal, throwOnError: true });
      return data[0] ?? null;
    },
  });
}
