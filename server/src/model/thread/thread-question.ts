/** The open questions of a thread, and what remains of them when runs are cancelled or deleted. */
import { findCheckpoint } from '../checkpoint/checkpoint-store.ts';
import { isHeadAsking } from '../checkpoint/open-questions.ts';
import type { Payload } from '../checkpoint/payload.ts';
import { isUntouched } from '../run/run-queue.ts';
import { isSettled } from '../run/run.ts';
import type { StoredRun } from '../run/run-record.ts';
import type { ThreadState } from './thread-record.ts';
import { newestRun, threadStatus } from './thread-state.ts';

/**
 * Whether a question is open: the thread is interrupted, or no run is active and the head still holds the question,
 * because the run of the previous answer failed or was cancelled, or because the thread is a copy.
 */
export function hasOpenQuestion(state: ThreadState): boolean {
  const status = threadStatus(state);
  if (status === 'interrupted') return true;
  // A question whose run was cancelled expects no answer.
  if (status === 'busy' || state.isWithdrawn) return false;
  const last = state.left ?? newestRun(state)?.status;
  return last !== 'completed' && isHeadAsking(state.store);
}

/** Whether this run asked the question at the head: it asked last, and no later one has saved anything. */
export function isAsker({ store, runs, left }: ThreadState, run: StoredRun): boolean {
  if (left === 'interrupted') return false;
  const last = [...runs.values()].findLast(({ interrupts }) => interrupts !== undefined);
  const order = [...runs.keys()];
  const saver = findCheckpoint(store, '')?.run ?? '';
  return last === run && order.indexOf(saver) <= order.indexOf(run.runUuid);
}

/** The open questions: those of the newest run, or those that came with a copy or an edit. */
export function openInterrupts(state: ThreadState): Payload | undefined {
  if (state.isWithdrawn) return undefined;
  if (isUntouched(state)) return state.questions;
  if (threadStatus(state) !== 'interrupted') return undefined;
  return state.questions ?? newestRun(state)?.interrupts;
}

/** Keeps the status that the newest run gave the thread, also after the run is deleted. */
export function leaveStatus(state: ThreadState, run: StoredRun): void {
  if (run.status === 'cancelling' && run.hasWritten) {
    // The question is withdrawn for good.
    state.left = 'cancelled';
    delete state.questions;
    delete state.isWithdrawn;
  }
  if (!isSettled(run.status) || state.left) return;
  state.left = run.status;
  if (run.status === 'interrupted' && run.interrupts) state.questions ??= run.interrupts;
}
