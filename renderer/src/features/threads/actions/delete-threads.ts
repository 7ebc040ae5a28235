import type { QueryClient } from '@tanstack/react-query';
import { ApiError } from '../../../api/errors.ts';
import { deleteThread } from '../../../api/generated/sdk.gen.ts';
import { fetchAsCurrentPrincipal } from '../../../api/service-fetch.ts';
import { hideThreads, unhideThreads } from '../../../state/hidden-threads.ts';
import { formatNumber, shortenMiddle } from '../../../ui/format.ts';
import { offerUndo } from '../../../ui/undo.tsx';
import { threadKeys } from '../../../api/queries/thread-keys.ts';

/** How many at a time: enough to be quick, few enough for other clients of the service. */
const atOnce = 8;
/** Searches follow writes within a second; until then the rows stay hidden. */
const settlesWithin = 3_000;

/** Hides threads from the list at once and deletes them when the ten seconds to undo are over. */
export function deleteThreadsWithUndo(ids: readonly string[], queryClient: QueryClient): void {
  const [only] = ids;
  if (only === undefined) return;
  hideThreads(ids);
  const asNow = fetchAsCurrentPrincipal();
  const what =
    ids.length === 1 ? `Thread ${shortenMiddle(only, 17)}` : `${formatNumber(ids.length)} threads`;
  offerUndo({
    label: `${what} deleted`,
    failed: `${what} could not be deleted`,
    undo: () => unhideThreads(ids),
    commit: async () => {
      const failures = await deleteAll(ids, asNow);
      await queryClient.invalidateQueries({ queryKey: threadKeys.all });
      const [first] = failures;
      if (first !== undefined) throw first;
      setTimeout(() => unhideThreads(ids), settlesWithin);
    },
  });
}

/** Deletes as many as possible; one that no longer exists is no failure. */
async function deleteAll(
  ids: readonly string[],
  asBefore: typeof fetch,
): Promise<readonly Error[]> {
  const waiting = [...ids];
  const failures: Error[] = [];
  const lane = async (): Promise<void> => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      try {
        // Also when the page is being closed.
        await deleteThread({
          path: { thread_id: id },
          fetch: asBefore,
          keepalive: true,
          throwOnError: true,
        });
      } catch (error) {
        if (error instanceof ApiError && error.code === 'thread_not_found') continue;
        failures.push(error instanceof Error ? error : new Error(String(error)));
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, ids.length) }, lane));
  return failures;
}
