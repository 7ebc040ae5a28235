import { useQuery } from '@tanstack/react-query';
import { runFacetsQuery } from '../../../api/queries/run-search.ts';
import { type RunsFilter, searchBody } from './runs-filter.ts';

/** Counts by value; undefined where nothing is counted. */
type Counts = Readonly<Record<string, number>> | undefined;

/** The counts of the menus that narrow the list. */
interface RunCounts {
  readonly status: Counts;
  readonly agent: Counts;
  readonly error: Counts;
  /** Only the newest matches were counted. */
  readonly isCapped: boolean;
}

/** How many runs each choice of a menu would list: each menu counts without its own choice. */
export function useFacets(filter: RunsFilter): RunCounts {
  // The same query, and one request, where nothing is chosen.
  const status = useQuery(runFacetsQuery(searchBody({ ...filter, statuses: [] }))).data;
  const agent = useQuery(runFacetsQuery(searchBody({ ...filter, agents: [] }))).data;
  const error = useQuery(runFacetsQuery(searchBody({ ...filter, error: undefined }))).data;
  return {
    status: status?.status,
    agent: agent?.agent_id,
    error: error?.error_code,
    isCapped: [status, agent, error].some((counted) => counted?.is_capped === true),
  };
}
