/*
 * `after_seconds` is a moment in the ticket (`notBefore`): the queue is in the order in which runs are due, and the
 * loop sets a timer for its first run alone, anew when that is another one. A run that waits for its moment is not the
 * thread's newest before it begins, so it hides no open question.
 */
import type { StoredRun } from './run-record.ts';
import type { ThreadState } from '../thread/thread-record.ts';
import { newestRun, renewRun } from '../thread/thread-state.ts';

/** When the next run may begin: 0 is at once; undefined: none waits. */
export function nextBegin(state: ThreadState): number | undefined {
  const [next] = state.queue;
  return next === undefined ? undefined : (state.runs.get(next)?.notBefore ?? 0);
}

/** Whether a run waits whose moment has come. */
export function isRunDue(state: ThreadState, now: number): boolean {
  const at = nextBegin(state);
  return at !== undefined && at <= now;
}

/** Whether no run has begun: there is none, each is held back until its moment, or was cancelled before it did a thing. */
export function isUntouched({ runs }: ThreadState): boolean {
  for (const { notBefore, isVoid } of runs.values()) {
    if (notBefore === undefined && !isVoid) return false;
  }
  return true;
}

/** What counts as the newest run is what has begun last: one that waited for its moment, or one that comes after it. */
export function noteBegin(state: ThreadState, run: StoredRun): void {
  const newest = newestRun(state);
  const hasOvertaken = newest !== run && (newest?.attempt ?? 0) > 0;
  if (run.notBefore !== undefined || hasOvertaken) renewRun(state, run);
  delete run.notBefore;
}
