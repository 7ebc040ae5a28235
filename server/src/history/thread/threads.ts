import { sql, type SqlBool } from 'kysely';
import type { ThreadId } from '../../model/ids.ts';
import type { RecentThreadsQuery, RecordedThread } from '../port.ts';
import type { OpenHistory } from './open-database.ts';
import type { RunBuilder } from './run-builder.ts';
import type { HistoryDb } from './schema.ts';
import { hasWords } from './text-index.ts';

/**
 * A thread that lists show; a copy begins with the title of its source. One that is known keeps its title, and its
 * activity where that is later.
 */
export async function addThread(
  db: HistoryDb,
  { threadId, at, copyOf }: { threadId: ThreadId; at: number; copyOf?: ThreadId },
): Promise<void> {
  const source =
    copyOf === undefined
      ? undefined
      : await db
          .selectFrom('history_threads')
          .select('title')
          .where('thread_id', '=', copyOf)
          .executeTakeFirst();
  await db
    .insertInto('history_threads')
    .values({ thread_id: threadId, title: source?.title ?? null, activity_at: at })
    .onConflict((conflict) =>
      conflict.column('thread_id').doUpdateSet({
        activity_at: sql<number>`case when history_threads.activity_at < ${at} then ${at} else history_threads.activity_at end`,
      }),
    )
    .execute();
}

/** The threads of these runs have changed; the input of the first run is their title. */
export async function touchThreads(db: HistoryDb, builders: readonly RunBuilder[]): Promise<void> {
  const latest = new Map<string, { at: number; title: string | null }>();
  for (const { threadId, state, opening } of builders) {
    if (threadId === undefined) continue;
    const known = latest.get(threadId);
    latest.set(threadId, {
      at: Math.max(known?.at ?? 0, state.activityAt),
      title: known?.title ?? opening?.inputPreview ?? null,
    });
  }
  for (const [threadId, { at, title }] of latest) {
    await db
      .updateTable('history_threads')
      .set({
        title: sql<string | null>`coalesce(title, ${title})`,
        activity_at: sql<number>`case when activity_at < ${at} then ${at} else activity_at end`,
      })
      .where('thread_id', '=', threadId)
      .execute();
  }
}

export async function removeThread(db: HistoryDb, threadId: ThreadId): Promise<void> {
  await db.deleteFrom('history_threads').where('thread_id', '=', threadId).execute();
}

/** What is known of these threads. */
export async function readThreads(
  db: HistoryDb,
  threadIds: readonly ThreadId[],
): Promise<RecordedThread[]> {
  if (threadIds.length === 0) return [];
  const rows = await db
    .selectFrom('history_threads')
    .selectAll()
    .select(newestAgent)
    .where('thread_id', 'in', [...threadIds])
    .execute();
  return rows.map(threadOf);
}

/** A page of threads, the latest activity first. */
export async function recentThreads(
  { db, dialect }: OpenHistory,
  { limit, text, cursor }: RecentThreadsQuery,
): Promise<RecordedThread[]> {
  let select = db
    .selectFrom('history_threads')
    .selectAll()
    .select(newestAgent)
    .orderBy('activity_at', 'desc')
    .orderBy('thread_id', 'desc')
    .limit(limit);
  if (cursor) {
    const { activityAt, threadId } = cursor;
    select = select.where(sql<SqlBool>`(activity_at, thread_id) < (${activityAt}, ${threadId})`);
  }
  if (text !== undefined) {
    const runs = db.selectFrom('history_runs').select('thread_id').where(hasWords(dialect, text));
    // A thread is found by the beginning of its id, too.
    const start = `${text.trim().replaceAll(/[\\%_]/g, '\\$&')}%`;
    const hasId = sql<SqlBool>`thread_id like ${start} escape '\\'`;
    select = select.where(({ or, eb }) => or([eb('thread_id', 'in', runs), hasId]));
  }
  return (await select.execute()).map(threadOf);
}

/** One look into the index of the runs of a thread. */
const newestAgent = sql<string | null>`(select agent_id from history_runs
  where history_runs.thread_id = history_threads.thread_id
  order by history_runs.activity_at desc, id desc limit 1)`.as('agent_id');

function threadOf(row: {
  thread_id: string;
  title: string | null;
  activity_at: number | string;
  agent_id: string | null;
}): RecordedThread {
  const { thread_id: threadId, title, activity_at: activityAt, agent_id: agentId } = row;
  return {
    threadId: threadId as ThreadId, // parsed when the thread was created
    ...(title !== null && { title }),
    activityAt: Number(activityAt),
    ...(agentId !== null && { agentId }),
  };
}
