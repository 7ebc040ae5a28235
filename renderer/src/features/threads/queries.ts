import { queryOptions, replaceEqualDeep } from '@tanstack/react-query';
import { listAgentsOptions } from '../../api/generated/@tanstack/react-query.gen.ts';
import { listRuns } from '../../api/generated/sdk.gen.ts';
import type { Run, ThreadWithValues } from '../../api/generated/types.gen.ts';
import { searchThreads } from '../../api/queries/thread-search.ts';
import { readThread } from './read-thread.ts';
import { threadKeys } from '../../api/queries/thread-keys.ts';

/** One thread, kept fresh while its page is visible. */
export function threadQuery(threadId: string) {
  return queryOptions({
    queryKey: threadKeys.values(threadId),
    queryFn: ({ signal }) => readThread(threadId, signal),
    // Another tab of the page, or the focus, is no reason to read a large one again.
    staleTime: ({ state }) => (state.data?.whole === undefined ? 1_000 : 60_000),
    // Two large states are not compared member by member.
    structuralSharing: (before, after) =>
      isLargeResult(after) ? after : replaceEqualDeep(before, after),
    refetchInterval: ({ state }) => {
      if (state.error !== null) return 5_000;
      const isBusy = state.data?.thread.status === 'busy';
      // Reading a large state again costs both sides: at rest its signs of change are read instead.
      if (state.data?.whole !== undefined) return isBusy ? 15_000 : false;
      return isBusy ? 1_000 : 2_000;
    },
  });
}

/** What changes with a thread and is small, for one whose state is large: its status and its newest run. */
export function threadSignsQuery(threadId: string) {
  return queryOptions({
    queryKey: threadKeys.row(threadId, 'signs'),
    queryFn: async ({ signal }) => {
      const path = { thread_id: threadId };
      const [{ threads }, runs] = await Promise.all([
        searchThreads({ ids: [threadId] }, { limit: 1, signal }),
        listRuns({ path, query: { limit: 1 }, signal, throwOnError: true }),
      ]);
      const [newest] = runs.data;
      return [threads[0]?.status, newest?.run_id, newest?.status, newest?.updated_at].join(' ');
    },
    refetchInterval: 2_000,
    retry: false,
  });
}

function isLargeResult(result: unknown): boolean {
  return typeof result === 'object' && result !== null && 'whole' in result;
}

/** Changes with the thread: its status and the time of its last change. */
export function versionOf({ status, updated_at }: ThreadWithValues): string {
  return `${status} ${updated_at}`;
}

/** The runs of a thread that its page and its row show. */
export interface ThreadRuns {
  readonly total: number;
  /** The run that was created last; it may wait for earlier ones. */
  readonly newest: Run | undefined;
  /** The active run, if any. */
  readonly active: Run | undefined;
  /** How many runs wait for it to end. */
  readonly queued: number;
}

/** A queue is hardly ever longer; in a longer one the active run is not found, and nothing else fails. */
const queueLimit = 100;

async function readRuns(threadId: string, signal: AbortSignal): Promise<ThreadRuns> {
  const read = (limit: number) =>
    listRuns({ path: { thread_id: threadId }, query: { limit }, signal, throwOnError: true });
  const { data, response } = await read(1);
  const total = response.headers.get('X-Pagination-Total');
  const [newest] = data;
  // Runs may be queued behind the active one: it is not the newest then.
  const runs = newest?.queue_position === undefined ? data : (await read(queueLimit)).data;
  return {
    total: total === null ? data.length : Number(total),
    newest,
    active: runs.find((run) => isActive(run) && run.queue_position === undefined),
    queued: runs.filter((run) => isActive(run) && run.queue_position !== undefined).length,
  };
}

function isActive({ status }: Run): boolean {
  return status === 'running' || status === 'cancelling';
}

/** The runs of a thread in the list; fetched rarely. */
export function rowRunsQuery(threadId: string) {
  return queryOptions({
    queryKey: threadKeys.runSummary(threadId, ''),
    queryFn: ({ signal }) => readRuns(threadId, signal),
    staleTime: 5_000,
    retry: false,
  });
}

/** The runs of the thread that is open. */
export function threadRunsQuery(threadId: string, version: string) {
  return queryOptions({
    // With the thread's version: fetched again when the thread has changed.
    queryKey: threadKeys.runSummary(threadId, version),
    queryFn: ({ signal }) => readRuns(threadId, signal),
    // Between two runs of a queue the thread may stay as it is.
    refetchInterval: ({ state }) => ((state.data?.queued ?? 0) > 0 ? 1_000 : false),
    retry: false,
  });
}

/** The agents of the service; they change only with its start. */
export const agentsQuery = queryOptions({ ...listAgentsOptions(), staleTime: 30_000 });
