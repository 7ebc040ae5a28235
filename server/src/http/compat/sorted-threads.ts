import type { Principal } from '../../model/principal.ts';
import type { ThreadView } from '../../model/thread/thread.ts';
import { SEARCH_PAGE_ROWS, SEARCH_ROWS } from '../../model/limits/search-limits.ts';
import type { ThreadSearch, ThreadService } from '../../threads/thread-service.ts';

/** What LangGraph Server sorts threads by. */
export const threadOrders = [
  ...(['thread_id', 'status', 'created_at'] as const),
  ...(['updated_at', 'state_updated_at'] as const),
];
export type ThreadOrder = (typeof threadOrders)[number];

export interface Sorting {
  by: ThreadOrder;
  isAscending: boolean;
}

/**
 * A page of the threads that match, in an order that the engine does not have: the newest 10,000 of them are read and
 * sorted. The total is that of all matches.
 */
export async function sortedThreads(
  threads: ThreadService,
  principal: Principal,
  { limit, offset = 0, ...filter }: ThreadSearch,
  { by, isAscending }: Sorting,
): Promise<{ items: ThreadView[]; total: number }> {
  const found: ThreadView[] = [];
  let cursor: string | undefined;
  do {
    const page = await threads.search(principal, {
      ...filter,
      limit: SEARCH_PAGE_ROWS,
      ...(cursor !== undefined && { cursor }),
    });
    found.push(...page.items);
    cursor = page.next;
  } while (cursor !== undefined && found.length < SEARCH_ROWS);
  const rows = found.map((thread) => ({ thread, key: keyOf(thread, by) }));
  const sorted = rows.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  if (!isAscending) sorted.reverse();
  const items = sorted.slice(offset, offset + limit).map(({ thread }) => thread);
  return { items, total: found.length };
}

/** The changes of a thread are known as far as the run history has them; without one they are its creation. */
function keyOf(thread: ThreadView, by: ThreadOrder): string | number {
  if (by === 'thread_id') return thread.threadId;
  if (by === 'status') return thread.status;
  if (by === 'created_at') return thread.createdAt;
  return thread.lastActivityAt ?? thread.createdAt;
}
