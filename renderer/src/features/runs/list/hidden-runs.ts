import type { QueryClient } from '@tanstack/react-query';
import { create } from 'zustand';
import { ApiError } from '../../../api/errors.ts';
import { deleteRun } from '../../../api/generated/index.ts';
import { runHistoryKeys } from '../../../api/queries/run-history-keys.ts';
import { fetchAsCurrentPrincipal } from '../../../api/service-fetch.ts';
import { formatNumber, shortenMiddle } from '../../../ui/format.ts';
import { offerUndo } from '../../../ui/undo.tsx';
import { runUuid } from '../run-queries.ts';

/** Runs whose deletion can still be undone: hidden here, not yet deleted by the service. */
export const useHiddenRuns = create<{ readonly ids: ReadonlySet<string> }>()(() => ({
  ids: new Set(),
}));

function unhide(ids: readonly string[]): void {
  useHiddenRuns.setState((state) => ({
    ids: new Set([...state.ids].filter((id) => !ids.includes(id))),
  }));
}

/** Hides runs at once, and deletes them when the ten seconds to undo are over. */
export function deleteRunsWithUndo(ids: readonly string[], client: QueryClient): void {
  const [only] = ids;
  if (only === undefined) return;
  useHiddenRuns.setState((state) => ({ ids: new Set([...state.ids, ...ids]) }));
  const asNow = fetchAsCurrentPrincipal();
  const what =
    ids.length === 1 ? `Run ${shortenMiddle(runUuid(only))}` : `${formatNumber(ids.length)} runs`;
  offerUndo({
    label: `${what} deleted`,
    failed: `${what} could not be deleted`,
    undo: () => unhide(ids),
    commit: async () => {
      // One after the other: they may be of one thread.
      for (const run_id of ids) await remove(run_id, asNow);
      await client.invalidateQueries({ queryKey: runHistoryKeys.all });
    },
  });
}

/** One that no longer exists is no failure. */
async function remove(run_id: string, asBefore: typeof fetch): Promise<void> {
  try {
    // Also when the page is being closed.
    await deleteRun({ path: { run_id }, fetch: asBefore, keepalive: true, throwOnError: true });
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404)) throw error;
  }
}
