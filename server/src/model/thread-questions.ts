/** The questions of a thread: what waits for an answer, and whether one may be given. */
import { isHeadAsking } from './open-questions.ts';
import type { Payload } from './payload.ts';
import { isUntouched } from './run-queue.ts';
import { newestRun, threadStatus, type StoredRun, type ThreadState } from './thread-state.ts';

/**
 * Something waits for an answer: the thread is interrupted, or nothing runs and the head still holds the question. The
 * answer before this one was no good then (its run failed or was cancelled), or the thread is a copy.
 */
export function hasOpenQuestion(state: ThreadState): boolean {
  const status = threadStatus(state);
  if (status === 'interrupted') return true;
  return status !== 'busy' && !isClosed(newestRun(state)) && isHeadAsking(state.store);
}

/** It has had its answer; or it was cancelled while it asked, so that nobody wants to answer. */
function isClosed(newest: StoredRun | undefined): boolean {
  if (newest?.status === 'completed') return true;
  return newest?.status === 'cancelled' && newest.interrupts !== undefined;
}

/** The questions that wait for an answer: those of the newest run, or those that came with a copy or an edit. */
export function openInterrupts(state: ThreadState): Payload | undefined {
  if (isUntouched(state)) return state.questions;
  if (threadStatus(state) !== 'interrupted') return undefined;
  return state.questions ?? newestRun(state)?.interrupts;
}
