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

/** The runs of a thread as far as its page and its row tell of them. */
export interface ThreadRuns {
  readonly total: number;
  /** The run made last; it may wait for those before it. */
  readonly newest: Run | undefined;
  /** The run that is at work, if one is. */
  readonly active: Run | undefined;
  /** How many runs wait for it to end. */
  readonly queued: number;
}

/** A queue is hardly ever longer; of a longer one the run at work is not found, and nothing else fails. */
const queueLimit = 100;

async function readRuns(threadId: string, signal: AbortSignal): Promise<ThreadRuns> {
  const read = (limit: number) =>
    listRuns({ path: { thread_id: threadId }, query: { limit }, signal, throwOnError: true });
  const { data, response } = await read(1);
  const total = response.headers.get('X-Pagination-Total');
  const [newest] = data;
  // Runs are made behind one that is at work: it is not the newest then.
  const runs = newest?.queue_position === undefined ? data : (await read(queueLimit)).data;
  return {
    total: total === null ? data.length : Number(total),
    newest,
    active: runs.find((run) => isAtWork(run) && run.queue_position === undefined),
    queued: runs.filter((run) => isAtWork(run) && run.queue_position !== undefined).length,
  };
}

function isAtWork({ status }: Run): boolean {
  return status === 'running' || status === 'cancelling';
}

/** The runs of a thread in the list; asked for once in a while. */
export function rowRunsQuery(threadId: string) {
  return queryOptions({
    queryKey: ['threads', 'row-runs', threadId],
    queryFn: ({ signal }) => readRuns(threadId, signal),
    staleTime: 5_000,
    retry: false,
  });
}

/** The runs of the thread that is open. */
export function threadRunsQuery(threadId: string, version: string) {
  return queryOptions({
    // With the thread's version: asked again when the thread has changed.
    queryKey: ['threads', 'runs', threadId, version],
    queryFn: ({ signal }) => readRuns(threadId, signal),
    // Between two runs of a queue the thread may stay as it is.
    refetchInterval: ({ state }) => ((state.data?.queued ?? 0) > 0 ? 1_000 : false),
    retry: false,
  });
}

/** The agents of the service; they change only with its start. */
export const agentsQuery = queryOptions({ ...listAgentsOptions(), staleTime: 30_000 });
