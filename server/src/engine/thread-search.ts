import { isServiceError } from '../errors/service-error.ts';
import { SEARCH_PAGE_ROWS, SEARCH_PAGES } from '../model/limits.ts';
import type { ThreadView } from '../model/thread.ts';
import { isInvalidArgument, toServiceError } from './failures.ts';
import type { ThreadFilter, ThreadPage, ThreadSearch } from './port.ts';
import { badCursor, readCursor, writeCursor } from './search-cursor.ts';
import { threadQuery } from './thread-query.ts';
import type { Visibility, VisiblePage, VisibleThread } from './visibility.ts';

/** Finds threads by what the visibility store knows of them. */
export interface ThreadSearcher {
  find(search: ThreadSearch): Promise<ThreadPage>;
}

/** Searches of one service. */
export function createThreadSearcher(parts: {
  visibility: Visibility;
  taskQueue: string;
}): ThreadSearcher {
  return {
    async find(search) {
      if (search.ids?.length === 0) return { items: [], total: 0 };
      try {
        return await new Search(parts, search).page();
      } catch (error) {
        if (isServiceError(error)) throw error;
        if (search.cursor !== undefined && isInvalidArgument(error)) throw badCursor(error);
        throw toServiceError(error, '');
      }
    },
  };
}

/** One search. The engine gives candidates in pages; what is taken of them are whole pages, so that its token fits. */
class Search {
  readonly #parts: Parameters<typeof createThreadSearcher>[0];
  readonly #search: ThreadSearch;
  readonly #query: string;

  constructor(parts: Parameters<typeof createThreadSearcher>[0], search: ThreadSearch) {
    this.#parts = parts;
    this.#search = search;
    this.#query = threadQuery(parts.taskQueue, search);
  }

  async page(): Promise<ThreadPage> {
    const { limit, offset = 0, cursor } = this.#search;
    let token = cursor === undefined ? undefined : readCursor(this.#search, cursor);
    let isMore = true;
    for (let rest = offset; rest > 0 && isMore;) {
      const page = await this.#list(Math.min(SEARCH_PAGE_ROWS, rest), token);
      rest -= (await this.#shown(page.rows)).length;
      token = page.next;
      isMore = token !== undefined;
    }
    const items: ThreadView[] = [];
    for (let left = SEARCH_PAGES; left > 0 && isMore && items.length < limit; left--) {
      const page = await this.#list(Math.min(SEARCH_PAGE_ROWS, limit - items.length), token);
      items.push(...(await this.#shown(page.rows)));
      token = page.next;
      isMore = token !== undefined;
    }
    const isWhole = !isMore && offset === 0 && cursor === undefined;
    const total = isWhole ? items.length : await this.#total();
    // The engine has a token for what follows a full page, also where nothing does.
    const isLast = cursor === undefined && total !== undefined && offset + items.length >= total;
    return {
      items,
      ...(total !== undefined && { total }),
      ...(token && !isLast && { next: writeCursor(this.#search, token) }),
    };
  }

  #list(pageSize: number, token?: Uint8Array): Promise<VisiblePage> {
    return this.#parts.visibility.list(this.#query, pageSize, token);
  }

  /** Undefined where it would take looking at every one of too many threads. */
  async #total(): Promise<number | undefined> {
    if (this.#search.isVisible === undefined) return this.#parts.visibility.count(this.#query);
    const { rows, next } = await this.#list(SEARCH_PAGE_ROWS);
    return next ? undefined : (await this.#shown(rows)).length;
  }

  /** The threads of some rows that really fit and may be seen, in their order. */
  async #shown(rows: readonly VisibleThread[]): Promise<ThreadView[]> {
    const views: ThreadView[] = [];
    for (const row of rows) {
      const view = fitting(row, this.#search);
      if (!view) continue;
      const { isVisible } = this.#search;
      if (!isVisible || (await isVisible(view))) views.push(view);
    }
    return views;
  }
}

/** The thread of a row; undefined when another pair of metadata, or another case of letters, made it a candidate. */
function fitting(
  { threadId, status, agentId, memo: { createdAt, metadata, owner } }: VisibleThread,
  filter: ThreadFilter,
): ThreadView | undefined {
  const { metadata: pairs = {}, idPrefix = '' } = filter;
  if (!threadId.startsWith(idPrefix)) return undefined;
  const isFound = Object.entries(pairs).every(([key, value]) => {
    return Object.hasOwn(metadata, key) && metadata[key] === value;
  });
  if (!isFound) return undefined;
  // Spec: POST /threads/search. `updated_at` equals the start time, same as `created_at`.
  const view = { threadId, status, createdAt, updatedAt: createdAt, metadata };
  return {
    ...view,
    ...(agentId !== undefined && { agentId }),
    ...(owner !== undefined && { owner }),
  };
}
