import { ROWS_ASKED_AT_ONCE } from '../../model/limits/search-limits.ts';
import type { ThreadView } from '../../model/thread/thread.ts';
import type { ThreadFilter, ThreadSearch } from '../port.ts';
import type { VisibleThread } from './visibility.ts';

/** A thread that may be seen, and which row of its page it is, from 0. */
export interface ShownThread {
  view: ThreadView;
  row: number;
}

/** What is shown of the leading rows of a page. */
export interface ShownPage {
  shown: ShownThread[];
  /** Rows that were looked at: all of them, unless the time was over before. */
  looked: number;
}

/**
 * Makes the reading of rows for one search: the threads of a page that really fit and may be seen, in their order. A
 * thread is asked about once, however often its page is read, and some of a page at a time: the policy has others to answer.
 */
export function createShownThreads(
  search: ThreadSearch,
  isTimeOver: () => boolean,
): (rows: readonly VisibleThread[]) => Promise<ShownPage> {
  const known = new Map<string, boolean>();
  const keyOf = ({ threadId, owner }: ThreadView): string => JSON.stringify([threadId, owner]);

  async function isShown(view: ThreadView): Promise<boolean> {
    if (!search.isVisible) return true;
    const answer = known.get(keyOf(view)) ?? (await search.isVisible(view));
    known.set(keyOf(view), answer);
    return answer;
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
      // Some are looked at in any case, so that every page gets on.
      if (first && at > 0 && !isKnown && isTimeOver()) return { shown, looked: first.row };
      const answers = await Promise.all(some.map(({ view }) => isShown(view)));
      shown.push(...some.filter((_, index) => answers[index]));
    }
    return { shown, looked: rows.length };
  };
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
