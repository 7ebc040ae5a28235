import type { OpenHistory } from './open-database.ts';
import { REMOVED_AT_ONCE, REMOVED_PER_TURN } from '../limits.ts';

/** How much of the history is kept. */
export interface Retention {
  retentionMs: number;
  maxBytes: number;
}

/** After the size is exceeded, this part of it is filled. */
const FILLED = 0.95;

/**
 * Removes runs that are too old, then the oldest until the rest fits, but only so many at a time, as others wait;
 * returns how many. Runs that go on stay.
 */
export async function removeOld(
  history: OpenHistory,
  { retentionMs, maxBytes }: Retention,
  now: number,
): Promise<number> {
  let removed = 0;
  const remove = async (before: number): Promise<boolean> => {
    const some = await removeOldest(history, before);
    removed += some;
    return some === REMOVED_AT_ONCE && removed < REMOVED_PER_TURN;
  };
  while (await remove(now - retentionMs));
  if (removed < REMOVED_PER_TURN && (await history.usedBytes()) > maxBytes) {
    while ((await remove(now)) && (await history.usedBytes()) > maxBytes * FILLED);
  }
  if (removed === 0) return 0;
  await forgetTitles(history);
  await history.shrink();
  return removed;
}

/** A title is the beginning of an input: it goes with the runs of its thread. */
async function forgetTitles({ db }: OpenHistory): Promise<void> {
  await db
    .updateTable('history_threads')
    .set({ title: null })
    .where('title', 'is not', null)
    .where('thread_id', 'not in', (query) => query.selectFrom('history_runs').select('thread_id'))
    .execute();
}

async function removeOldest({ db }: OpenHistory, before: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('history_runs')
    .where('id', 'in', (query) =>
      query
        .selectFrom('history_runs')
        .select('id')
        .where('activity_at', '<', before)
        .where('status', 'not in', ['pending', 'running', 'cancelling'])
        .orderBy('activity_at')
        .limit(REMOVED_AT_ONCE),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
