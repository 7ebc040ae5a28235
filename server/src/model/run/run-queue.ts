/*
 * `after_seconds` is a timestamp in the ticket (`notBefore`): the queue is in the order in which runs are due, and the
 * loop sets a timer for its first run alone, and resets it when the first run changes. A delayed run is not the
 * thread's newest before it begins, so it hides no open question.
 */
import type { StoredRun, ThreadState } from '../thread/thread-record.ts';
import { newestRun, renewRun } from '../thread/thread-state.ts';
import type { AttemptResult } from '../thread/thread-wire.ts';

/** When the next run may begin: 0 is at once; undefined: the queue is empty. */
export function nextBegin(state: ThreadState): number | undefined {
  const [next] = state.queue;
  return next === undefined ? undefined : (state.runs.get(next)?.notBefore ?? 0);
}

/** Whether a queued run is due. */
export function isRunDue(state: ThreadState, now: number): boolean {
  const at = nextBegin(state);
  return at !== undefined && at <= now;
}

/** Whether no run has begun: there is none, or each is delayed or was cancelled before it did anything. */
export function isUntouched({ runs }: ThreadState): boolean {
  for (const { notBefore, isVoid } of runs.values()) {
    if (notBefore === undefined && !isVoid) return false;
  }
  return true;
}

/** The newest run is the one that began last: one that was delayed, or one that begins after a later one did. */
export function noteBegin(state: ThreadState, run: StoredRun): void {
  const newest = newestRun(state);
  const hasOvertaken = newest !== run && (newest?.attempt ?? 0) > 0;
  if (run.notBefore !== undefined || hasOvertaken) renewRun(state, run);
  delete run.notBefore;
}

/** Spec: run transitions; decisions, "restart": how often a lost attempt is followed by another one, and when. */

/** The error of a run whose attempts are used up. */
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

/** Attempts without those that only continued after a change of executions. */
export function lostAttempts(run: StoredRun): number {
  return run.attempt - (run.continuations ?? 0);
}

/** Milliseconds until the next attempt; `random` in [0, 1) spreads them. */
export function backoff(run: StoredRun, random: number): number {
  const { initialBackoffMs, factor, maxBackoffMs } = run.restart;
  const full = Math.min(maxBackoffMs, initialBackoffMs * factor ** (lostAttempts(run) - 1));
  return Math.round(full * (0.75 + random * 0.25));
}
