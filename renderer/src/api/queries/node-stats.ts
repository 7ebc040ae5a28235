import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { getNodeStats } from '../generated/index.ts';
import { isHistoryOff, runHistoryKeys } from './run-history-keys.ts';

const readEvery = 10_000;

/** Figures of the nodes of an agent over the time until now. */
export function nodeStatsQuery(agentId: string, lastMs: number) {
  return queryOptions({
    queryKey: runHistoryKeys.nodes({ agentId, lastMs }),
    queryFn: async ({ signal }) => {
      const from = new Date(Date.now() - lastMs).toISOString();
      const query = { agent_id: agentId, from };
      return (await getNodeStats({ query, signal, throwOnError: true })).data;
    },
    refetchInterval: ({ state }) => (isHistoryOff(state.error) ? false : readEvery),
    placeholderData: keepPreviousData,
    retry: false,
  });
}
