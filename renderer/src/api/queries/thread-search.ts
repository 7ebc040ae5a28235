import { request } from '../client.ts';
import type { Thread } from '../generated/types.gen.ts';

/** Some threads of a search, and the cursor of the next ones. */
export interface ThreadPage {
  readonly threads: readonly Thread[];
  /** For the next page; undefined at the end. */
  readonly cursor?: string;
  /** How many there are in all, when the service counts them. */
  readonly total?: number;
}

interface SearchOptions {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly signal?: AbortSignal;
}

/** POST /threads/search with the paging of its headers. */
export async function searchThreads(
  filter: Readonly<Record<string, unknown>>,
  { limit, cursor, signal }: SearchOptions,
): Promise<ThreadPage> {
  const response = await request('/threads/search', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ ...filter, limit, ...(cursor === undefined ? {} : { cursor }) }),
    ...(signal === undefined ? {} : { signal }),
  });
  const total = response.headers.get('X-Pagination-Total');
  const next = response.headers.get('X-Pagination-Next');
  return {
    // The service's own response, in the form of its OpenAPI document.
    threads: (await response.json()) as Thread[],
    ...(total === null ? {} : { total: Number(total) }),
    ...(next === null || next === '' ? {} : { cursor: next }),
  };
}
