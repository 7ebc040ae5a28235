import { queryOptions, useQuery } from '@tanstack/react-query';
import { findCheckpointState, getThreadRun, type Run } from '../../api/generated/index.ts';
import { threadKeys } from '../../api/queries/thread-keys.ts';

const settled: ReadonlySet<Run['status']> = new Set([
  'completed',
  'interrupted',
  'error',
  'cancelled',
]);

/** True when nothing more happens in a run by itself. */
export function isSettled(status: Run['status']): boolean {
  return settled.has(status);
}

/** A run of a thread. */
export function runQuery(threadId: string, runId: string) {
  return queryOptions({
    queryKey: threadKeys.run(threadId, runId),
    queryFn: async ({ signal }) => {
      const path = { thread_id: threadId, run_id: runId };
      return (await getThreadRun({ path, signal, throwOnError: true })).data;
    },
  });
}

/** A run of a thread, read again every two seconds until it has settled. */
export function useRun(threadId: string, runId: string) {
  return useQuery({
    ...runQuery(threadId, runId),
    refetchInterval: ({ state }) =>
      state.data !== undefined && isSettled(state.data.status) ? false : 2_000,
  });
}

/** The open questions of the thread, and the checkpoint that an answer continues from, as of its run `after`. */
export function useHead(threadId: string, after = '') {
  return useQuery({
    // With the run: what an earlier one asked is not shown until the new state is read.
    queryKey: threadKeys.questions(threadId, after),
    queryFn: async ({ signal }) => {
      const { data } = await findCheckpointState({
        path: { thread_id: threadId },
        body: {},
        signal,
        throwOnError: true,
      });
      return data;
    },
  });
}

/** The uuid at the end of a composite run id. */
export function runUuid(runId: string): string {
  return runId.slice(-36);
}
