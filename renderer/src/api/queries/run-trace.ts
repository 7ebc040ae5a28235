import { queryOptions } from '@tanstack/react-query';
import { request } from '../client.ts';
import { followTrace, isTraceOver } from '../follow-trace.ts';
import { getRunInput, getRunTrace } from '../generated/index.ts';
import type { RunTrace } from '../generated/types.gen.ts';
import { windowStreams } from '../window-streams.ts';
import { runHistoryKeys } from './run-history-keys.ts';

/** The trace of a run. While the run goes on, or is not recorded to its end, it grows as the service writes it. */
export function runTraceQuery(runId: string, isRunning: boolean) {
  const queryKey = runHistoryKeys.trace(runId);
  return queryOptions({
    queryKey,
    queryFn: async ({ signal, client }) => {
      const read = async (): Promise<RunTrace> =>
        (await getRunTrace({ path: { run_id: runId }, signal, throwOnError: true })).data;
      if (!isRunning || document.hidden) {
        const trace = await read();
        if (isTraceOver(trace.run) || document.hidden) return trace;
      }
      return whileVisible(signal, (visible) =>
        followTrace(runId, {
          signal: visible,
          connect: request,
          slots: windowStreams,
          onTrace: (trace) => client.setQueryData<RunTrace>(queryKey, trace),
        }).catch((error: unknown) => {
          const shown = client.getQueryData<RunTrace>(queryKey);
          if (visible.aborted && shown !== undefined) return shown;
          throw error;
        }),
      );
    },
    refetchOnWindowFocus: ({ state: { data } }) =>
      data !== undefined && !isTraceOver(data.run) && 'always',
    retry: false,
  });
}

/** A window that is not seen gives its connection back: a browser has six for a service. */
async function whileVisible<T>(
  signal: AbortSignal,
  follow: (visible: AbortSignal) => Promise<T>,
): Promise<T> {
  const hiding = new AbortController();
  const onChange = (): void => {
    if (document.hidden) hiding.abort();
  };
  document.addEventListener('visibilitychange', onChange);
  try {
    return await follow(AbortSignal.any([signal, hiding.signal]));
  } finally {
    document.removeEventListener('visibilitychange', onChange);
  }
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
