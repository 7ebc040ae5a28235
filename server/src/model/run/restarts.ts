/** Spec: run transitions; decisions, "restart": how often a lost attempt is followed by another one, and when. */
import type { StoredRun } from '../thread/thread-state.ts';
import type { AttemptResult } from '../thread/thread-wire.ts';

/** Why a run ends whose attempts are used up. */
export function exhausted(
  run: StoredRun,
  result: AttemptResult,
): NonNullable<AttemptResult['error']> {
  const why = result.error?.message ?? 'The attempt was lost.';
  const restarts = run.restart.maxAttempts;
  const spent =
    restarts === 0 ? 'Restarts are switched off.' : `All ${restarts} restarts are used up.`;
  return { code: 'restarts_exhausted', message: `${why} ${spent}` };
}

/** Attempts without those that only went on after a change of executions. */
export function lostAttempts(run: StoredRun): number {
  return run.attempt - (run.continuations ?? 0);
}

/** Milliseconds until the next attempt; `random` in [0, 1) spreads them. */
export function backoff(run: StoredRun, random: number): number {
  const { initialBackoffMs, factor, maxBackoffMs } = run.restart;
  const full = Math.min(maxBackoffMs, initialBackoffMs * factor ** (lostAttempts(run) - 1));
  return Math.round(full * (0.75 + random * 0.25));
}
