/** How often a lost attempt of a run is followed by another one, and when (Spec: run transitions; decisions: "restart"). */
import type { RunError } from './run.ts';

/** Kept with each run: a setting that changes later does not change it. */
export interface RestartPolicy {
  /** Restarts after the first attempt; 0 switches them off. */
  maxAttempts: number;
  initialBackoffMs: number;
  factor: number;
  maxBackoffMs: number;
}

/** What of a run this is about. */
interface RestartedRun {
  restart: RestartPolicy;
  /** 1 is the first. */
  attempt: number;
  /** Attempts that only continued after a change of executions. Absent: none. */
  continuations?: number;
}

/** The error of a run whose attempts are used up; `last` is that of its last attempt. */
export function exhausted({ restart }: RestartedRun, last: RunError | undefined): RunError {
  const why = last?.message ?? 'The attempt was lost.';
  const { maxAttempts } = restart;
  const spent =
    maxAttempts === 0 ? 'Restarts are switched off.' : `All ${maxAttempts} restarts are used up.`;
  return { code: 'restarts_exhausted', message: `${why} ${spent}` };
}

/** Attempts without those that only continued after a change of executions. */
export function lostAttempts({ attempt, continuations = 0 }: RestartedRun): number {
  return attempt - continuations;
}

/** Milliseconds until the next attempt; `random` in [0, 1) spreads them. */
export function backoff(run: RestartedRun, random: number): number {
  const { initialBackoffMs, factor, maxBackoffMs } = run.restart;
  const full = Math.min(maxBackoffMs, initialBackoffMs * factor ** (lostAttempts(run) - 1));
  return Math.round(full * (0.75 + random * 0.25));
}
