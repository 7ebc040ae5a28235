import type { HistoryEntry, Run } from '../../../api/generated/types.gen.ts';

/**
 * The run that went on from the checkpoint in the origin, where that is retained; otherwise the one after the run that
 * made it, or that run itself. Both lists are the newest first.
 */
export function runToCompare(
  history: readonly HistoryEntry[],
  runs: readonly Run[],
  checkpointId: string | undefined,
): Run | undefined {
  const indexOf = (entry: HistoryEntry | undefined): number => {
    const id = entry?.metadata?.['run_id'];
    return typeof id !== 'string' ? -1 : runs.findIndex(({ run_id }) => run_id.endsWith(id));
  };
  if (checkpointId === undefined) return runs[0];
  const next = history.findLast(
    (entry) => entry.parent_checkpoint?.checkpoint_id === checkpointId && indexOf(entry) >= 0,
  );
  if (next !== undefined) return runs[indexOf(next)];
  const maker = indexOf(
    history.find(({ checkpoint }) => checkpoint.checkpoint_id === checkpointId),
  );
  return runs[Math.max(0, maker - 1)];
}
