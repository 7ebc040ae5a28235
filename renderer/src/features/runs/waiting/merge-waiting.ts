import type { Thread } from '../../../api/generated/types.gen.ts';

/**
 * The rows of the page after a search: those that were answered here stay, and new ones are added below, so that no
 * question moves while it is being answered.
 */
export function mergeWaiting(
  rows: readonly Thread[],
  found: readonly Thread[],
  isAnswered: (threadId: string) => boolean,
): readonly Thread[] {
  const byId = new Map(found.map((thread) => [thread.thread_id, thread]));
  const kept = rows.flatMap((row) => {
    const now = byId.get(row.thread_id);
    if (now === undefined) return isAnswered(row.thread_id) ? [row] : [];
    return [sinceOf(now) === sinceOf(row) && now.title === row.title ? row : now];
  });
  const known = new Set(rows.map(({ thread_id }) => thread_id));
  const added = found
    .filter(({ thread_id }) => !known.has(thread_id))
    .toSorted((a, b) => Date.parse(sinceOf(a)) - Date.parse(sinceOf(b)));
  const isSame =
    added.length === 0 && kept.length === rows.length && kept.every((row, at) => row === rows[at]);
  return isSame ? rows : [...kept, ...added];
}

/** Since when a thread waits, as far as the search shows it. */
function sinceOf({ last_activity_at, updated_at }: Thread): string {
  return last_activity_at ?? updated_at;
}
