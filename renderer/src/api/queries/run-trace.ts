import { queryOptions } from '@tanstack/react-query';
import { getRunInput, getRunTrace } from '../generated/index.ts';
import { isHistoryOff, runHistoryKeys } from './run-history-keys.ts';

const pollEvery = 1_000;
/** A large trace is read less often: reading it takes a tenth of the time at most. */
const readShare = 10;

/**
 * The trace of a run, read again every second until the run has ended and its record tells so: what is recorded follows
 * the run by up to a second.
 */
export function runTraceQuery(runId: string, isRunning: boolean) {
  let tookMs = 0;
  return queryOptions({
    queryKey: runHistoryKeys.trace(runId),
    queryFn: async ({ signal }) => {
      const begun = performance.now();
      const { data } = await getRunTrace({ path: { run_id: runId }, signal, throwOnError: true });
      tookMs = performance.now() - begun;
      return data;
    },
    refetchInterval: ({ state: { data, error } }) => {
      if (isHistoryOff(error)) return false;
      const isBehind = data !== undefined && data.run.ended_at === undefined;
      const isOver = !isRunning && !(isBehind && !data.run.is_incomplete);
      return isOver ? false : Math.max(pollEvery, tookMs * readShare);
    },
    retry: false,
  });
}

/** The input or the command that a run was created with. */
export function runInputQuery(runId: string) {
  return queryOptions({
    queryKey: runHistoryKeys.input(runId),
    queryFn: async ({ signal }) =>
      (await getRunInput({ path: { run_id: runId }, signal, throwOnError: true })).data,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
}
