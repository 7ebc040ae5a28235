import { useQueries } from '@tanstack/react-query';
import { type RunFacets, runFacetsQuery } from '../../../api/queries/run-search.ts';
import { type RunsFilter, searchBody } from './runs-filter.ts';

export interface RunCounts {
  readonly status: Readonly<Record<string, number>> | undefined;
  readonly agent: Readonly<Record<string, number>> | undefined;
  readonly error: Readonly<Record<string, number>> | undefined;
  /** Only the newest matches were counted. */
  readonly isCapped: boolean;
}

/** How many runs each choice of a menu would list: each menu counts without its own choice. */
export function useFacets(filter: RunsFilter): RunCounts {
  const [status, agent, error] = useQueries({
    queries: [
      { ...filter, statuses: [] },
      { ...filter, agents: [] },
      { ...filter, error: undefined },
    ].map((one) => runFacetsQuery(searchBody(one))),
  });
  const counted = (found: { data: RunFacets | null | undefined } | undefined) =>
    found?.data ?? undefined;
  return {
    status: counted(status)?.status,
    agent: counted(agent)?.agent_id,
    error: counted(error)?.error_code,
    isCapped: [status, agent, error].some((one) => counted(one)?.is_capped === true),
  };
}
