import { queryOptions } from '@tanstack/react-query';
import { getAgentGraphOptions } from '../generated/@tanstack/react-query.gen.ts';

/** An agent's graph, sub-graphs drawn from within; with depth 0 they are single nodes. */
export function agentGraphQuery(agentId: string, { depth = 3 }: { depth?: number } = {}) {
  return queryOptions({
    ...getAgentGraphOptions({ path: { name: agentId }, query: { depth } }),
    // It changes only with the agent's code.
    staleTime: 60_000,
  });
}
