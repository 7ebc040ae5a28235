import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { listRuns } from '../../api/generated/sdk.gen.ts';

/** The most that one list has; the runs of a longer thread are not all known. */
const limit = 1_000;

/**
 * Whether a run is of this thread, so that it has a page: the checkpoint of a copy names a run of its source. `newest` is
 * the run of the newest checkpoint: the list is read again for another one.
 */
export function useOwnRuns(
  threadId: string,
  newest: string | undefined,
): (runId: string) => boolean {
  const { data } = useQuery({
    queryKey: ['checkpoint-runs', threadId, newest],
    queryFn: async ({ signal }) => {
      const path = { thread_id: threadId };
      const runs = (await listRuns({ path, query: { limit }, signal, throwOnError: true })).data;
      return {
        uuids: new Set(runs.map(({ run_id }) => run_id.slice(-36))),
        isWhole: runs.length < limit,
      };
    },
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
    structuralSharing: false,
    retry: false,
  });
  return (runId) => data !== undefined && (data.uuids.has(runId) || !data.isWhole);
}
