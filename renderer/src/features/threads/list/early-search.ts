import { searchThreads, type ThreadPage } from '../../../api/queries/thread-search.ts';
import { currentPrincipal } from '../../../state/principal.ts';
import { filterFrom, searchBody } from './thread-filter.ts';

/** The first page is small, so that first rows come at once. */
export const firstLimit = 100;
/** What was asked longer ago is no news. */
const freshMs = 2_000;

interface Early {
  readonly key: string;
  readonly at: number;
  readonly page: Promise<ThreadPage>;
}

let early: Early | undefined;

const keyOf = (body: unknown): string => JSON.stringify([currentPrincipal()?.name, body]);

/** Asks for the first threads while the page that shows them is still loaded. */
export function searchEarly(query: URLSearchParams): void {
  const body = searchBody(filterFrom(query));
  const page = searchThreads(body, { limit: firstLimit });
  // Whoever takes it hears of the failure.
  page.catch(() => undefined);
  early = { key: keyOf(body), at: performance.now(), page };
}

/** What was asked for early, for the first who wants it. */
export function takeEarly(body: Readonly<Record<string, unknown>>): Early['page'] | undefined {
  const taken = early;
  early = undefined;
  const isFresh = taken !== undefined && performance.now() - taken.at < freshMs;
  return isFresh && taken.key === keyOf(body) ? taken.page : undefined;
}
