import type { Thread } from '../../../api/generated/types.gen.ts';
import type { ThreadPage } from '../../../api/queries/thread-search.ts';

/** Visibly equal: then the old row is kept, and nothing is rendered again. */
function isSame(a: Thread, b: Thread): boolean {
  return (
    a.status === b.status &&
    a.updated_at === b.updated_at &&
    a.last_activity_at === b.last_activity_at &&
    a.title === b.title &&
    JSON.stringify(a.metadata) === JSON.stringify(b.metadata)
  );
}

/**
 * Merges the newest response for the top of the list into the cached pages: new threads are added above,
 * changed ones are replaced, removed ones are dropped. Undefined when the response does not reach down to the
 * known threads, so that some in between may be missing.
 */
export function mergeHead(
  pages: readonly ThreadPage[],
  head: ThreadPage,
  limit: number,
): readonly ThreadPage[] | undefined {
  const known = new Map(pages.flatMap(({ threads }) => threads.map((one) => [one.thread_id, one])));
  const fresh = head.threads.map((thread) => {
    const old = known.get(thread.thread_id);
    return old !== undefined && isSame(old, thread) ? old : thread;
  });
  const isWhole = head.threads.length < limit;
  if (isWhole) return same(pages, [{ threads: fresh, ...totalOf(head) }]);
  const inHead = new Set(head.threads.map(({ thread_id }) => thread_id));
  const all = pages.flatMap(({ threads }) => threads);
  const last = head.threads.findLast(({ thread_id }) => known.has(thread_id));
  const lastKnown = all.findIndex(({ thread_id }) => thread_id === last?.thread_id);
  if (lastKnown < 0) return undefined;
  // Above the last thread that both have, the response is authoritative: what it omits is removed.
  const removed = new Set(
    all.slice(0, lastKnown).flatMap(({ thread_id }) => (inHead.has(thread_id) ? [] : [thread_id])),
  );
  const rest = pages.map((page) => without(page, (id) => inHead.has(id) || removed.has(id)));
  const [first, ...others] = rest;
  if (first === undefined) return [head];
  const merged = { ...first, ...totalOf(head), threads: [...fresh, ...first.threads] };
  return same(pages, [merged, ...others]);
}

/** Merges the response for rows that were fetched by their ids; those it omits are removed. */
export function mergeSeen(
  pages: readonly ThreadPage[],
  requested: readonly string[],
  found: readonly Thread[],
): readonly ThreadPage[] {
  const byId = new Map(found.map((thread) => [thread.thread_id, thread]));
  const wanted = new Set(requested);
  const merged = pages.map((page) => {
    if (!page.threads.some(({ thread_id }) => wanted.has(thread_id))) return page;
    const threads = page.threads.flatMap((old) => {
      if (!wanted.has(old.thread_id)) return [old];
      const now = byId.get(old.thread_id);
      return now === undefined ? [] : [isSame(old, now) ? old : now];
    });
    return sameThreads(page.threads, threads) ? page : { ...page, threads };
  });
  return same(pages, merged);
}

function without(page: ThreadPage, isOmitted: (id: string) => boolean): ThreadPage {
  const threads = page.threads.filter(({ thread_id }) => !isOmitted(thread_id));
  return threads.length === page.threads.length ? page : { ...page, threads };
}

function totalOf({ total }: ThreadPage): Pick<ThreadPage, 'total'> {
  return total === undefined ? {} : { total };
}

function sameThreads(a: readonly Thread[], b: readonly Thread[]): boolean {
  return a.length === b.length && a.every((thread, index) => thread === b[index]);
}

/** The old pages when nothing is different, so that nothing is rendered again. */
function same(old: readonly ThreadPage[], now: readonly ThreadPage[]): readonly ThreadPage[] {
  const isEqual =
    old.length === now.length &&
    old.every((page, index) => {
      const other = now[index];
      return (
        other !== undefined &&
        page.total === other.total &&
        page.cursor === other.cursor &&
        sameThreads(page.threads, other.threads)
      );
    });
  return isEqual ? old : now;
}
