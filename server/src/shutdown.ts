import type { LocalRuns } from './engine/local-runs.ts';

const PROGRESS_MS = 250;

/** Waits until no run is active in this process, for at most `drainMs`, and tells how many still are. */
export async function drainRuns(options: {
  local: Pick<LocalRuns, 'idle' | 'activeCount'>;
  drainMs: number;
  onProgress?: (activeRuns: number) => void;
}): Promise<void> {
  const { local, drainMs, onProgress } = options;
  onProgress?.(local.activeCount());
  const progress = setInterval(() => onProgress?.(local.activeCount()), PROGRESS_MS);
  let limit: NodeJS.Timeout | undefined;
  const elapsed = new Promise<void>((resolve) => (limit = setTimeout(resolve, drainMs)));
  await Promise.race([local.idle(), elapsed]);
  clearInterval(progress);
  clearTimeout(limit);
}

/** Runs every step, also after one that failed; rejects with the first failure. */
export async function closeInOrder(steps: readonly (() => unknown)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, 'Not everything could be closed.');
}
