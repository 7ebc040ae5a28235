import { queryOptions, replaceEqualDeep } from '@tanstack/react-query';
import { listAgentsOptions } from '../../api/generated/@tanstack/react-query.gen.ts';
import { listRuns } from '../../api/generated/sdk.gen.ts';
import type { Run, ThreadWithValues } from '../../api/generated/types.gen.ts';
import { readThread } from './read-thread.ts';

/** One thread, kept fresh while its page is seen. */
export function threadQuery(threadId: string) {
  return queryOptions({
    queryKey: ['threads', 'one', threadId],
    queryFn: ({ signal }) => readThread(threadId, signal),
    // Two large states are not compared member by member.
    structuralSharing: (before, after) =>
      isLargeAnswer(after) ? after : replaceEqualDeep(before, after),
    refetchInterval: ({ state }) => {
      if (state.error !== null) return 5_000;
      // Reading a large state again costs both sides.
      const isLarge = state.data?.whole !== undefined;
      return isLarge ? 15_000 : state.data?.thread.status === 'busy' ? 1_000 : 2_000;
    },
  });
}

function isLargeAnswer(answer: unknown): boolean {
  return typeof answer === 'object' && answer !== null && 'whole' in answer;
}

/** Says that a thread has changed: its status, or the time of its last change. */
export function versionOf({ status, updated_at }: ThreadWithValues): string {
  return `${status} ${updated_at}`;
}

/** The newest run of a thread; null when it never ran. */
export function newestRunQuery(threadId: string) {
  return queryOptions({
    queryKey: ['threads', 'newest-run', threadId],
    queryFn: async ({ signal }): Promise<Run | null> => {
      const { data } = await listRuns({
        path: { thread_id: threadId },
        query: { limit: 1 },
        signal,
        throwOnError: true,
      });
      return data[0] ?? null;
    },
    staleTime: 5_000,
    retry: false,
  });
}

/** How many runs a thread has, and the newest of them. */
export function runCountQuery(threadId: string, version: string) {
  return queryOptions({
    // With the thread's version: asked again when the thread has changed, and only then.
    queryKey: ['threads', 'run-count', threadId, version],
    queryFn: async ({ signal }): Promise<{ total: number; newest: Run | undefined }> => {
      const { data, response } = await listRuns({
        path: { thread_id: threadId },
        query: { limit: 1 },
        signal,
        throwOnError: true,
      });
      const total = response.headers.get('X-Pagination-Total');
      return { total: total === null ? data.length : Number(total), newest: data[0] };
    },
    retry: false,
  });
}

/** The agents of the service; they change only with its start. */
export const agentsQuery = queryOptions({ ...listAgentsOptions(), staleTime: 30_000 });
