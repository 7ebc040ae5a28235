/*
 * Searches read only the engine's visibility store (`engine/search/thread-search.ts`): the search attributes
 * `ThreadStatus`, `RunStatus`, `RunAgent` and `ThreadMeta` (a hash for each pair of metadata) find a thread, a memo
 * holds what is shown of it. The thread writes them in one command, when a run lasts long enough to send a batch, and
 * when the thread becomes idle with values other than before: a short run like the one before it costs no visibility
 * write. Rows are compared with the filter once more. The start and each change of executions write all of them.
 */
import { isServiceError } from '../../errors/service-error.ts';
import { SEARCH_MS, SEARCH_PAGE_ROWS, SEARCH_ROWS } from '../../model/limits/search-limits.ts';
import type { ThreadView } from '../../model/thread/thread.ts';
import { isInvalidArgument, toServiceError } from '../client/failures.ts';
import type { ThreadPage, ThreadSearch } from '../requests.ts';
import { badCursor, readCursor, writeCursor } from './search-cursor.ts';
import { createShownThreads } from './shown-threads.ts';
import { threadQuery } from '../read/thread-query.ts';
import type { Visibility, VisiblePage } from './visibility.ts';

/** What a search reads, and the clock that limits it. */
export interface SearchPorts {
  visibility: Visibility;
  taskQueue: string;
  /** Milliseconds. */
  now?: () => number;
}

/** Finds threads by their entries in the visibility store. */
export class ThreadSearcher {
  readonly #ports: SearchPorts;

  constructor(ports: SearchPorts) {
    this.#ports = ports;
  }

  async find(search: ThreadSearch): Promise<ThreadPage> {
    if (search.ids?.length === 0) return { items: [], total: 0 };
    try {
      return await new Search(this.#ports, search).page();
    } catch (error) {
      if (isServiceError(error)) throw error;
      if (search.cursor !== undefined && isInvalidArgument(error)) throw badCursor(error);
      throw toServiceError(error, '');
    }
  }
}

/** Part of a search's results, and the position at which the search continues. */
interface Taken {
  views: ThreadView[];
  token?: Uint8Array;
  /** More results may follow. */
  isMore: boolean;
}

/** One search. The engine lists candidates in pages; only whole pages are consumed, so that its token stays valid. */
class Search {
  readonly #ports: SearchPorts;
  readonly #search: ThreadSearch;
  readonly #query: string;
  readonly #shown: ReturnType<typeof createShownThreads>;
  #hasExamined = false;
  /** Rows that may still be examined. A policy that hides most of them must not keep a request busy for minutes. */
  #left: number;
  readonly #isTimeOver: () => boolean;

  constructor(ports: SearchPorts, search: ThreadSearch) {
    this.#ports = ports;
    this.#search = search;
    this.#query = threadQuery(ports.taskQueue, search);
    const { now = () => performance.now() } = ports;
    const end = now() + SEARCH_MS;
    this.#isTimeOver = () => search.isVisible !== undefined && now() > end;
    this.#shown = createShownThreads(search, this.#isTimeOver);
    this.#left = search.isVisible === undefined ? Infinity : SEARCH_ROWS;
  }

  async page(): Promise<ThreadPage> {
    const { limit, offset = 0, cursor } = this.#search;
    const position = cursor === undefined ? { skip: offset } : readCursor(this.#search, cursor);
    const passed = await this.#take(position.skip, { isMore: true, ...position });
    const skip = passed.isMore ? position.skip - passed.views.length : 0;
    const found = skip > 0 ? { ...passed, views: [] } : await this.#take(limit, passed);
    const { views: items, token, isMore } = found;
    const isWhole = !isMore && cursor === undefined;
    const total = isWhole ? passed.views.length + items.length : await this.#total();
    // The engine returns a token after a full page even when no row follows.
    const isLast = cursor === undefined && total !== undefined && offset + items.length >= total;
    return {
      items,
      ...(total !== undefined && { total }),
      ...(token && isMore && !isLast && { next: writeCursor(this.#search, { token, skip }) }),
    };
  }

  /** Up to `count` visible threads from a position on; fewer at the end, and when the row limit is reached. */
  async #take(count: number, from: Omit<Taken, 'views'>): Promise<Taken> {
    const views: ThreadView[] = [];
    let { token, isMore } = from;
    // When few rows of a page are visible, the next page is larger.
    for (let size = count; isMore && views.length < count && this.#left > 0; size *= 4) {
      if (this.#isTimeOver() && this.#hasExamined) break;
      const wanted = count - views.length;
      const rows = this.#search.isVisible === undefined ? wanted : size;
      const page = await this.#upTo(wanted, Math.min(SEARCH_PAGE_ROWS, rows, this.#left), token);
      views.push(...page.views);
      ({ token, isMore } = page);
    }
    return { views, isMore, ...(token && { token }) };
  }

  /** The visible threads of a page, which ends with the last one that is wanted. */
  async #upTo(wanted: number, size: number, token?: Uint8Array): Promise<Taken> {
    for (let rows = size; ;) {
      const page = await this.#list(rows, token);
      const { shown, examined } = await this.#shown(page.rows);
      this.#hasExamined = true;
      const last = shown[wanted - 1];
      if (examined === page.rows.length && (shown.length <= wanted || last === undefined)) {
        this.#left -= page.rows.length;
        const views = shown.map(({ view }) => view);
        return { views, isMore: page.next !== undefined, ...(page.next && { token: page.next }) };
      }
      // A token points behind a whole page: the page is listed again up to the last row that is wanted or was examined.
      rows = last !== undefined && shown.length > wanted ? last.row + 1 : examined;
    }
  }

  #list(pageSize: number, token?: Uint8Array): Promise<VisiblePage> {
    return this.#ports.visibility.list(this.#query, pageSize, token);
  }

  /** Undefined where it would require examining too many threads one by one. */
  async #total(): Promise<number | undefined> {
    if (this.#search.isVisible === undefined) return this.#ports.visibility.count(this.#query);
    if (this.#isTimeOver()) return undefined;
    const { rows, next } = await this.#list(SEARCH_PAGE_ROWS);
    if (next) return undefined;
    const { shown, examined } = await this.#shown(rows);
    return examined < rows.length ? undefined : shown.length;
  }
}
