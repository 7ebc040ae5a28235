import { queryOptions, useQuery } from '@tanstack/react-query';
import { listAgentsOptions } from '../generated/@tanstack/react-query.gen.ts';
import { searchThreads } from './thread-search.ts';
import { threadKeys } from './thread-keys.ts';

/** Searches follow a copy within a second; a thread that was no copy has no agent, however often it is asked for. */
const maxReads = 3;

/** Of these agents the one of a thread's source; null when it has none of them. */
function copiedAgentQuery(threadId: string, agents: readonly string[]) {
  return queryOptions({
    queryKey: threadKeys.copiedAgent(threadId, agents),
    queryFn: async ({ signal }) => {
      const pages = await Promise.all(
        agents.map((agent_id) =>
          searchThreads({ ids: [threadId], agent_id }, { limit: 1, signal }),
        ),
      );
      return agents[pages.findIndex(({ threads }) => threads.length > 0)] ?? null;
    },
    refetchInterval: ({ state }) =>
      state.data === null && state.dataUpdateCount < maxReads ? 1_000 : false,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
}

/** The agent of a copy that has not run yet: that of its source. Runs name their own; then it is not asked for. */
export function useCopiedAgent(threadId: string, isAskedFor: boolean): string | undefined {
  const agents = useQuery({ ...listAgentsOptions(), staleTime: 30_000, enabled: isAskedFor });
  const names = agents.data?.map(({ agent_id }) => agent_id) ?? [];
  const { data } = useQuery({
    ...copiedAgentQuery(threadId, names),
    enabled: isAskedFor && names.length > 0,
  });
  return data ?? undefined;
}
