/** Threads by their activity and by their text, which the run history knows. */
import type { Engine } from '../engine/engine.ts';
import type { ThreadPage, ThreadSearch } from '../engine/requests.ts';
import { isServiceError, ServiceError } from '../errors/service-error.ts';
import type { HistoryReads, ThreadCursor } from '../history/port.ts';
import { SEARCH_IDS } from '../model/limits/search-limits.ts';
import type { ThreadView } from '../model/thread/thread.ts';

/** Threads that one search looks at. */
const EXAMINED_THREADS = 10_000;

/** What a search asks of the history besides the engine's filters. */
export interface ActivityOrder {
  /** The latest activity first, instead of the latest start. */
  isByActivity?: boolean;
  /** Words of the threads' runs; implies the order by activity. */
  text?: string | undefined;
}

/** The threads with their titles and last activity, where these can be read. */
export async function described<T extends ThreadView>(
  reads: HistoryReads | undefined,
  threads: readonly T[],
): Promise<T[]> {
  if (!reads || threads.length === 0) return [...threads];
  const found = await reads.threads(threads.map(({ threadId }) => threadId)).catch(nothing);
  const known = new Map(found.map((thread) => [thread.threadId, thread]));
  return threads.map((thread) => {
    const { title, activityAt } = known.get(thread.threadId) ?? {};
    return {
      ...thread,
      ...(title !== undefined && { title }),
      ...(activityAt !== undefined && { lastActivityAt: activityAt }),
    };
  });
}

/** A page of threads, the latest activity first: the order is the history's, everything else the engine's. */
export async function searchRecent(
  engine: Engine,
  reads: HistoryReads | undefined,
  {
    limit,
    cursor: text,
    offset: _,
    ids: asked,
    ...filter
  }: ThreadSearch & { text: string | undefined },
): Promise<ThreadPage> {
  if (!reads) {
    const message = 'The order by activity and the search by text need the run history.';
    throw new ServiceError('history_disabled', message);
  }
  let cursor = text === undefined ? undefined : readCursor(text);
  const wanted = asked && new Set(asked);
  const items: ThreadView[] = [];
  for (let examined = 0; examined < EXAMINED_THREADS; examined += SEARCH_IDS) {
    const recent = await reads.recentThreads({
      limit: SEARCH_IDS,
      ...(filter.text !== undefined && { text: filter.text }),
      ...(cursor && { cursor }),
    });
    const ids = recent.map(({ threadId }) => threadId).filter((id) => wanted?.has(id) ?? true);
    const page = await engine.threads.search({ ...filter, ids, limit: SEARCH_IDS });
    const found = new Map(page.items.map((view) => [view.threadId, view]));
    for (const { threadId, title, activityAt } of recent) {
      cursor = { activityAt, threadId };
      const view = found.get(threadId);
      if (!view) continue;
      items.push({ ...view, lastActivityAt: activityAt, ...(title !== undefined && { title }) });
      if (items.length === limit) return { items, next: writeCursor(cursor) };
    }
    if (recent.length < SEARCH_IDS) return { items };
  }
  return { items, ...(cursor && { next: writeCursor(cursor) }) };
}

function writeCursor({ activityAt, threadId }: ThreadCursor): string {
  return `${activityAt}.${threadId}`;
}

function readCursor(text: string): ThreadCursor {
  const match = /^(\d{1,16})\.(.{1,200})$/.exec(text);
  if (match?.[2] !== undefined) return { activityAt: Number(match[1]), threadId: match[2] };
  const message = 'is not one of this search: X-Pagination-Next, with the same filters';
  throw new ServiceError('invalid_request', `cursor: ${message}.`, {
    details: { issues: [{ path: 'cursor', message }] },
  });
}

/** A list that cannot be completed is shown without it. */
function nothing(error: unknown): [] {
  if (isServiceError(error)) return [];
  throw error;
}
