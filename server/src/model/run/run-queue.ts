/*
 * `after_seconds` is a timestamp in the ticket (`notBefore`): the queue is in the order in which runs are due, and the
 * loop sets a timer for its first run alone, and resets it when the first run changes. A delayed run is not the
 * thread's newest before it begins, so it hides no open question.
 */
import type { StoredRun } from './run-record.ts';
import type { ThreadState } from '../thread/thread-record.ts';
import { newestRun, renewRun } from '../thread/thread-state.ts';

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
