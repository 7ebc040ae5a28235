import type { OpenHistory } from './open-database.ts';
import { REMOVED_AT_ONCE } from '../limits.ts';

/** How much of the history is kept. */
export interface Retention {
  retentionMs: number;
  maxBytes: number;
}

/** After the size is exceeded, this part of it is filled. */
const FILLED = 0.95;

/** Removes runs that are too old, then the oldest until the rest fits; returns how many. Runs that go on stay. */
export async function removeOld(
  history: OpenHistory,
  { retentionMs, maxBytes }: Retention,
  now: number,
): Promise<number> {
  let removed = 0;
  for (;;) {
    const some = await removeOldest(history, now - retentionMs);
    removed += some;
    if (some < REMOVED_AT_ONCE) break;
  }
  if ((await history.usedBytes()) > maxBytes) {
    while ((await history.usedBytes()) > maxBytes * FILLED) {
      const some = await removeOldest(history, now);
      removed += some;
      if (some === 0) break;
    }
  }
  if (removed > 0) await history.shrink();
  return removed;
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
