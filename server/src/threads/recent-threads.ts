/** Threads by their activity and by their text, which the run history knows. */
import type { Engine } from '../engine/engine.ts';
import type { ThreadPage, ThreadSearch } from '../engine/requests.ts';
import { isServiceError, ServiceError } from '../errors/service-error.ts';
import type { HistoryReads, RecordedThread, ThreadCursor } from '../history/port.ts';
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
  return threads.map((thread) => withRecord(thread, known.get(thread.threadId)));
}

/** The thread with what the history has of it. */
function withRecord<T extends ThreadView>(thread: T, recorded: RecordedThread | undefined): T {
  if (!recorded) return thread;
  const { title, activityAt, agentId } = recorded;
  return {
    ...thread,
    lastActivityAt: activityAt,
    ...(title !== undefined && { title }),
    ...(agentId !== undefined && { agentId }),
  };
}

/**
 * A page of threads, the latest activity first: the order is the history's, everything else the engine's. Without a
 * history, or while it cannot be read, the order is the engine's, too; a text cannot be searched then.
 */
export async function searchRecent(
  engine: Engine,
  reads: HistoryReads | undefined,
  search: RecentSearch,
): Promise<ThreadPage> {
  const { text, cursor, ids, ...rest } = search;
  if (reads && ids && text === undefined) return sorted(engine, reads, { ...rest, ids });
  const given = { ...rest, ...(ids && { ids }), ...(cursor !== undefined && { cursor }) };
  if (!reads && text === undefined) return engine.threads.search(given);
  if (!reads)
    throw new ServiceError('history_disabled', 'The search by text needs the run history.');
  try {
    return await walk(engine, reads, search);
  } catch (error) {
    // Without a history a list loses its order alone; a text and the next page of a walk need it.
    const isUnreadable = isServiceError(error) && error.code.startsWith('history_');
    if (!isUnreadable || text !== undefined || cursor !== undefined) throw error;
    return engine.threads.search(given);
  }
}

type RecentSearch = ThreadSearch & { text: string | undefined };

/** Threads that are named are few. */
async function sorted(
  engine: Engine,
  reads: HistoryReads,
  search: ThreadSearch,
): Promise<ThreadPage> {
  const page = await engine.threads.search(search);
  const items = await described(reads, page.items);
  const at = ({ lastActivityAt, createdAt }: ThreadView): number => lastActivityAt ?? createdAt;
  return { ...page, items: items.toSorted((one, other) => at(other) - at(one)) };
}

async function walk(
  engine: Engine,
  reads: HistoryReads,
  { limit, cursor: given, offset: _, text, ids: asked, ...filter }: RecentSearch,
): Promise<ThreadPage> {
  let cursor = given === undefined ? undefined : readCursor(given);
  const wanted = asked && new Set(asked);
  const total =
    text === undefined ? (await engine.threads.search({ ...filter, limit: 1 })).total : undefined;
  const items: ThreadView[] = [];
  const page = (isMore: boolean): ThreadPage => ({
    items,
    ...(total !== undefined && { total }),
    ...(isMore && cursor && { next: writeCursor(cursor) }),
  });
  for (let examined = 0; examined < EXAMINED_THREADS; examined += SEARCH_IDS) {
    const recent = await reads.recentThreads({
      limit: SEARCH_IDS,
      ...(text !== undefined && { text }),
      ...(cursor && { cursor }),
    });
    const ids = recent.map(({ threadId }) => threadId).filter((id) => wanted?.has(id) ?? true);
    const found = await engine.threads.search({ ...filter, ids, limit: SEARCH_IDS });
    const views = new Map(found.items.map((view) => [view.threadId, view]));
    for (const recorded of recent) {
      const { threadId, activityAt } = recorded;
      cursor = { activityAt, threadId };
      const view = views.get(threadId);
      if (!view) continue;
      items.push(withRecord(view, recorded));
      if (items.length === limit) return page(true);
    }
    if (recent.length < SEARCH_IDS) return page(false);
  }
  return page(true);
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
