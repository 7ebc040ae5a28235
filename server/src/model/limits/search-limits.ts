/** The limits of searches for threads. */
import { constant, type LimitRow } from './limit-row.ts';
import { REGO_BATCH } from './rego-limits.ts';

/** Ids that one search may name. */
export const SEARCH_IDS = 100;

/** Rows that the engine's visibility store returns at once. */
export const SEARCH_PAGE_ROWS = 1_000;

/** Rows that one search examines for visible ones: the remaining rows are on the next page. */
export const SEARCH_ROWS = 10_000;

/** How long one search evaluates a policy for them: a slow policy must not hold a request for minutes, either. */
export const SEARCH_MS = 5_000;

/** Rows of one list that the policy is evaluated for at once: as many as its evaluator accepts in one message. */
export const ROWS_ASKED_AT_ONCE = REGO_BATCH;

/** The rows of docs/limits.md. */
export const searchLimitRows = {
  searchIds: constant(SEARCH_IDS, {
    what: '`ids` of one search for threads',
    unit: 'ids',
    where: 'host',
    outcome: '400 `invalid_request`',
  }),
  searchTotal: constant(SEARCH_PAGE_ROWS, {
    what: 'threads that a policy is asked about for `X-Pagination-Total`',
    unit: 'rows',
    where: 'host',
    outcome: 'the header is left out',
  }),
  searchRows: constant(SEARCH_ROWS, {
    what: 'threads that one search looks through for those that a policy shows',
    unit: 'rows',
    where: 'host',
    outcome: 'the response is shorter than `limit`; `X-Pagination-Next` continues',
  }),
  searchTime: constant(SEARCH_MS, {
    what: 'how long one search asks a policy about them',
    unit: 'ms',
    where: 'host',
    outcome: 'likewise',
  }),
} satisfies Record<string, LimitRow>;
