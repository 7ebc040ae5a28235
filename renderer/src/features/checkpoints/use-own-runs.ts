import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Run } from '../../api/generated/types.gen.ts';
import { runListLimit, runListQuery } from '../../api/queries/thread-runs.ts';

/**
 * Whether a run is of this thread, so that it has a page: the checkpoint of a copy names a run of its source. `newest` is
 * the run of the newest checkpoint: the list is read again for another one.
 */
export function useOwnRuns(
  threadId: string,
  newest: string | undefined,
): (runId: string) => boolean {
  const { data } = useQuery({
    ...runListQuery(threadId, newest),
    select: uuidsOf,
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
    structuralSharing: false,
    retry: false,
  });
  return (runId) => data !== undefined && (data.uuids.has(runId) || !data.isWhole);
}

function uuidsOf(runs: readonly Run[]) {
  return {
    uuids: new Set(runs.map(({ run_id }) => run_id.slice(-36))),
    isWhole: runs.length < runListLimit,
  };
}
