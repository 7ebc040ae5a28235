import { create } from 'zustand';
import { createJSONStorage, persist } from 'zustand/middleware';
import { currentService } from './desktop-service.ts';
import type { Run } from './generated/types.gen.ts';

/** A run that was started in this window, and has not ended as far as it knows. */
export interface WatchedRun {
  readonly service: string;
  readonly runId: string;
  readonly threadId: string;
  readonly startedAt: number;
}

interface WatchedRuns {
  /** Newest first. */
  readonly runs: readonly WatchedRun[];
}

/** Each is asked for; the oldest of more are given up. */
const maxRuns = 20;

/** Of this window alone, also after a reload: two windows must not both report the same end. */
export const useWatchedRuns = create<WatchedRuns>()(
  persist((): WatchedRuns => ({ runs: [] }), {
    name: 'studio-watched-runs',
    storage: createJSONStorage(() => sessionStorage),
  }),
);

/** Its end will be reported, unless it is seen. */
export function watchRun({ run_id, thread_id }: Pick<Run, 'run_id' | 'thread_id'>): void {
  const run: WatchedRun = {
    service: currentService(),
    runId: run_id,
    threadId: thread_id,
    startedAt: Date.now(),
  };
  useWatchedRuns.setState(({ runs }) => ({
    runs: [run, ...runs.filter(({ runId }) => runId !== run_id)].slice(0, maxRuns),
  }));
}

/** Returns whether it was still watched: only then its end is new. */
export function unwatchRun(runId: string): boolean {
  const { runs } = useWatchedRuns.getState();
  const rest = runs.filter((run) => run.runId !== runId);
  if (rest.length === runs.length) return false;
  useWatchedRuns.setState({ runs: rest });
  return true;
}
