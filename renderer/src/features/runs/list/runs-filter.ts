import type { RunStatus } from '../../../api/generated/types.gen.ts';
import type { RunSearchBody, RunStatsFilter } from '../../../api/queries/run-search.ts';
import { runStatuses } from '../../../api/run-statuses.ts';
import { searchBounds, type TimeWindow, windowFrom } from './time-window.ts';

/** The choices of `tookMs`. */
export const tookTimes: readonly number[] = [1_000, 5_000, 30_000, 300_000];

/** What the list of runs shows. It is in the URL, so that a view can be shared and saved. */
export interface RunsFilter {
  readonly statuses: readonly RunStatus[];
  readonly agents: readonly string[];
  readonly error?: string | undefined;
  readonly thread?: string | undefined;
  /** Milliseconds that a run took at least. */
  readonly tookMs?: number | undefined;
  readonly text: string;
  readonly window?: TimeWindow | undefined;
}

/** Reads the filter from the URL. */
export function filterFrom(query: URLSearchParams): RunsFilter {
  return {
    statuses: runStatuses.filter((status) => query.getAll('status').includes(status)),
    agents: query.getAll('agent').filter(Boolean),
    error: query.get('error') || undefined,
    thread: query.get('thread') || undefined,
    tookMs: tookTimes.find((ms) => String(ms) === query.get('took')),
    text: query.get('q') ?? '',
    window: windowFrom(query),
  };
}

/** The filter as the query of a URL, always in the same order. */
export function queryOf(filter: RunsFilter): string {
  const { statuses, agents, error, thread, tookMs, text, window } = filter;
  const query = new URLSearchParams();
  for (const status of statuses) query.append('status', status);
  for (const agent of agents) query.append('agent', agent);
  if (error !== undefined) query.set('error', error);
  if (thread !== undefined) query.set('thread', thread);
  if (tookMs !== undefined) query.set('took', String(tookMs));
  if (text.trim() !== '') query.set('q', text.trim());
  for (const [name, value] of Object.entries(window ?? {})) query.set(name, value);
  return query.toString();
}

/** The filter as what a search asks for. */
export function searchBody(filter: RunsFilter): RunSearchBody {
  const { statuses, agents, error, thread, tookMs, text, window } = filter;
  return {
    ...(statuses.length > 0 && { status: [...statuses] }),
    ...(agents.length > 0 && { agent_id: [...agents] }),
    ...(error !== undefined && { error_code: error }),
    ...(thread !== undefined && { thread_id: thread }),
    ...(tookMs !== undefined && { min_duration_ms: tookMs }),
    ...(text.trim() !== '' && { text: text.trim() }),
    ...searchBounds(window),
  };
}

/** What of it narrows the figures over time: they take one status and one agent. */
export function statsFilter({ statuses, agents, tookMs, text }: RunsFilter): RunStatsFilter {
  const [status, otherStatus] = statuses;
  const [agent, otherAgent] = agents;
  return {
    ...(status !== undefined && otherStatus === undefined && { status }),
    ...(agent !== undefined && otherAgent === undefined && { agent_id: agent }),
    ...(tookMs !== undefined && { min_duration_ms: tookMs }),
    ...(text.trim() !== '' && { text: text.trim() }),
  };
}
