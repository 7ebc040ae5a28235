import { ROWS_ASKED_AT_ONCE } from '../../model/limits/search-limits.ts';
import type { ThreadView } from '../../model/thread/thread.ts';
import type { ThreadFilter, ThreadSearch } from '../requests.ts';
import type { VisibleThread } from './visibility.ts';

/** A thread that the caller may see, and its row in the page, counted from 0. */
export interface ShownThread {
  view: ThreadView;
  row: number;
}

/** The visible threads among the leading rows of a page. */
export interface ShownPage {
  shown: ShownThread[];
  /** Rows that were examined: all of them, unless the time ran out first. */
  examined: number;
}

/**
 * Creates the row filter for one search: it returns the threads of a page that match and that the caller may see, in
 * order. The policy is evaluated once per thread, however often its page is read, and for a few threads at a time,
 * because it also serves other requests.
 */
export function createShownThreads(
  search: ThreadSearch,
  isTimeOver: () => boolean,
): (rows: readonly VisibleThread[]) => Promise<ShownPage> {
  const known = new Map<string, boolean>();
  const keyOf = ({ threadId, owner }: ThreadView): string => JSON.stringify([threadId, owner]);

  async function isShown(view: ThreadView): Promise<boolean> {
    if (!search.isVisible) return true;
    const isVisible = known.get(keyOf(view)) ?? (await search.isVisible(view));
    known.set(keyOf(view), isVisible);
    return isVisible;
  }

  return async (rows) => {
    const fits = rows.flatMap((thread, row) => {
      const view = fitting(thread, search);
      return view ? [{ view, row }] : [];
    });
    const shown: ShownThread[] = [];
    for (let at = 0; at < fits.length; at += ROWS_ASKED_AT_ONCE) {
      const some = fits.slice(at, at + ROWS_ASKED_AT_ONCE);
      const isKnown = some.every(({ view }) => known.has(keyOf(view)));
      const [first] = some;
      // At least one batch is examined in any case, so that every page makes progress.
      if (first && at > 0 && !isKnown && isTimeOver()) return { shown, examined: first.row };
      const visible = await Promise.all(some.map(({ view }) => isShown(view)));
      shown.push(...some.filter((_, index) => visible[index]));
    }
    return { shown, examined: rows.length };
  };
}

/** The thread of a row; undefined when another metadata pair or another letter case made it a candidate. */
function fitting(
  { threadId, status, agentId, memo: { createdAt, metadata, owner, jsonKeys } }: VisibleThread,
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
    ...(jsonKeys && { jsonKeys }),
  };
}
