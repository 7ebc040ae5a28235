import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { request } from '../client.ts';
import { getRunStats } from '../generated/index.ts';
import type { RecordedRun, RunSearch, RunSearchResult } from '../generated/types.gen.ts';
import { isHistoryOff, runHistoryKeys } from './run-history-keys.ts';

/** What a search of the run history asks for; `lastMs` is the time until now, whenever it is sent. */
export type RunSearchBody = Omit<RunSearch, 'limit' | 'cursor' | 'facets'> & {
  readonly lastMs?: number;
};

/** Some runs of a search, and the cursor of the next ones. */
export interface RunPage {
  readonly runs: readonly RecordedRun[];
  /** For the next page; undefined at the end. */
  readonly cursor?: string;
}

/** Counts of a search by the values that narrow it. */
export type RunFacets = NonNullable<RunSearchResult['facets']>;

/** The first page is polled. */
export const firstRunLimit = 100;
const pageLimit = 500;
const pollEvery = 2_000;
const figuresEvery = 10_000;
const readShare = 10;
/** Of the latest figures over time. */
let figuresTookMs = 0;

/** The runs that match a search, page after page. */
export function runPagesQuery(body: RunSearchBody) {
  return infiniteQueryOptions({
    queryKey: runHistoryKeys.pages(body),
    queryFn: ({ pageParam: cursor, signal }) =>
      searchPage(body, {
        limit: cursor === undefined ? firstRunLimit : pageLimit,
        ...(cursor !== undefined && { cursor }),
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.cursor,
    // They are updated by the first page; fetching all of them again would cost too much.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    placeholderData: keepPreviousData,
    gcTime: 60_000,
  });
}

/** The newest runs of the same search, read again while the page is visible. */
export function runHeadQuery(body: RunSearchBody) {
  return queryOptions({
    queryKey: runHistoryKeys.head(body),
    queryFn: ({ signal }) => searchPage(body, { limit: firstRunLimit, signal }),
    staleTime: pollEvery,
    refetchInterval: pollEvery,
    retry: false,
  });
}

/** How often each status, agent and error occurs; null where a policy hides runs, so that nothing is counted. */
export function runFacetsQuery(body: RunSearchBody) {
  return queryOptions({
    queryKey: runHistoryKeys.facets(body),
    queryFn: async ({ signal }): Promise<RunFacets | null> => {
      const { result } = await search({ ...body, limit: 1, facets: true }, signal);
      return result.facets ?? null;
    },
    refetchInterval: ({ state }) => (isHistoryOff(state.error) ? false : figuresEvery),
    placeholderData: keepPreviousData,
    retry: false,
  });
}

/** The filter of the figures over time. */
export interface RunStatsFilter {
  readonly agent_id?: string;
  readonly status?: NonNullable<Extract<RunSearch['status'], string>>;
  readonly min_duration_ms?: number;
  readonly text?: string;
}

/** The time that the figures are about: one that ends now, or one between two times. */
export type StatsSpan =
  { readonly lastMs: number } | { readonly from: string; readonly to: string };

/** Figures of runs over time. */
export function runStatsQuery(filter: RunStatsFilter, span: StatsSpan, parts: number) {
  return queryOptions({
    queryKey: runHistoryKeys.stats({ ...filter, ...span, parts }),
    queryFn: async ({ signal }) => {
      const query = { ...filter, ...boundsOf(span), parts };
      const begun = performance.now();
      const { data } = await getRunStats({ query, signal, throwOnError: true });
      figuresTookMs = performance.now() - begun;
      return data;
    },
    // Those of very many runs are read less often: reading them takes a tenth of the time at most.
    refetchInterval: ({ state }) =>
      isHistoryOff(state.error) ? false : Math.max(figuresEvery, figuresTookMs * readShare),
    placeholderData: keepPreviousData,
    retry: false,
  });
}

function boundsOf(span: StatsSpan): { readonly from: string; readonly to: string } {
  if ('from' in span) return span;
  return { from: before(span.lastMs), to: before(0) };
}

function before(ms: number): string {
  return new Date(Date.now() - ms).toISOString();
}

interface PageOptions {
  readonly limit: number;
  readonly cursor?: string;
  readonly signal: AbortSignal;
}

async function searchPage(body: RunSearchBody, { signal, ...page }: PageOptions): Promise<RunPage> {
  const { result, next } = await search({ ...body, ...page }, signal);
  return { runs: result.runs, ...(next !== undefined && { cursor: next }) };
}

/** POST /runs/search with the paging of its headers, which the generated function does not return. */
async function search(
  { lastMs, ...body }: RunSearch & { readonly lastMs?: number },
  signal: AbortSignal,
) {
  const since = lastMs === undefined ? {} : { created_after: before(lastMs) };
  const response = await request('/runs/search', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ ...body, ...since }),
    signal,
  });
  const next = response.headers.get('X-Pagination-Next');
  // The service's own response, in the form of its OpenAPI document.
  const result = (await response.json()) as RunSearchResult;
  return { result, next: next === null || next === '' ? undefined : next };
}
