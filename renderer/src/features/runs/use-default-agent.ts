import { useQuery } from '@tanstack/react-query';
import { listAgentsOptions } from '../../api/generated/@tanstack/react-query.gen.ts';

/** The agent that runs when none is named: the first of the manifest. */
export function useDefaultAgent(): string | undefined {
  return useQuery(listAgentsOptions()).data?.[0]?.agent_id;
}
