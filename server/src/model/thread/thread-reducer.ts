/*
 * Stopping. Runs in flight finish. A queued run that becomes due meanwhile gets the result `deferred`: not counted as
 * an attempt, retried a second later, which is at the next start. A run cut off by the time limit ends as INFRA, with
 * its checkpoints.
 *
 * Cancel: the Update, then in this process at once, elsewhere with the next heartbeat. After 10 s the run is fenced
 * off.
 *
 * `multitask_strategy` travels in the ticket of the new run, so it costs no separate Update: `interrupt` cancels active
 * and queued runs, `rollback` also marks them, and removes run and checkpoints when it has stopped. A run's writes at
 * checkpoints of other runs carry its id for that.
 */
/**
 * The rules of a thread: pure, synchronous, deterministic. The workflow applies them and decides nothing else.
 * Every `check…` returns why a change is refused, before anything is written; every change is idempotent, because the
 * engine forgets which Updates it has seen when a thread continues in another execution.
 */
import {
  applyOp,
  dropEarlyWrites,
  dropRun,
  findCheckpoint,
  rollBackRun,
} from '../checkpoint/checkpoint-store.ts';
import { findKey, type RememberedKey } from './idempotency.ts';
import { isHeadWanted } from '../checkpoint/namespaces.ts';
import { eventOf, withoutWrites } from '../run/attempt-end.ts';
import { takeContext } from '../run/run-context.ts';
import { backoff, exhausted, lostAttempts } from '../run/restarts.ts';
import { noteBegin } from '../run/run-queue.ts';
import { nextRunStatus, type RunEventKind } from '../run/run-state.ts';
import { isSettled } from '../run/run.ts';
import type { RunTicket, StoredRun } from '../run/run-record.ts';
import type { ThreadState } from './thread-record.ts';
import { enqueueRun, leaveAsBefore, newestRun, removeRun, threadStatus } from './thread-state.ts';
import { hasOpenQuestion, isAsker, leaveStatus } from './thread-question.ts';
import type { AttemptResult, CancelOptions, CheckpointBatch } from './thread-wire.ts';

/** Why a change is refused; `code` is one of the service's error codes. */
export interface Refusal {
  code:
    | 'thread_stopped'
    | 'thread_busy'
    | 'not_interrupted'
    | 'checkpoint_not_found'
    | 'run_not_found'
    | 'run_active'
    | 'run_fenced'
    | 'payload_too_large'
    | 'idempotency_conflict';
  message: string;
}

/** Whether a run may be created now. */
export function checkCreateRun(state: ThreadState, ticket: RunTicket): Refusal | undefined {
  if (state.runs.has(ticket.runUuid)) return undefined;
  const known = ticket.idempotency && findKey(state.keys, ticket.idempotency, ticket.createdAt);
  if (known) return checkKnownKey(state, ticket, known);
  if (state.stopped) {
    return {
      code: 'thread_stopped',
      message: `The thread runs nothing more: ${state.stopped.message}`,
    };
  }
  if (state.isEphemeral && threadStatus(state) !== 'interrupted') {
    return {
      code: 'thread_stopped',
      message: 'The thread of a stateless run takes no further run, but for an answer to it.',
    };
  }
  if (ticket.isResume && !hasOpenQuestion(state)) {
    return {
      code: 'not_interrupted',
      message: `Nothing waits to be resumed: the thread is ${threadStatus(state)}.`,
    };
  }
  if (ticket.multitask === 'reject' && threadStatus(state) === 'busy') {
    return { code: 'thread_busy', message: 'A run is active on the thread, or waits there.' };
  }
  const { checkpoint } = ticket;
  if (checkpoint && !findCheckpoint(state.store, checkpoint.ns, checkpoint.id)) {
    return {
      code: 'checkpoint_not_found',
      message: `There is no checkpoint ${checkpoint.id} on this thread, or it is no longer retained.`,
    };
  }
  return undefined;
}

/** Decisions: "retried POSTs". The same request again gets its run, another request is refused. */
function checkKnownKey(
  { runs }: ThreadState,
  { idempotency }: RunTicket,
  { body, runUuid }: RememberedKey,
): Refusal | undefined {
  if (body !== idempotency?.body) {
    const message = 'The Idempotency-Key was used with another body on this thread.';
    return { code: 'idempotency_conflict', message };
  }
  if (runs.has(runUuid)) return undefined;
  const message = `The run ${runUuid} of this Idempotency-Key is no longer there.`;
  return { code: 'run_not_found', message };
}

/** The run that this ticket has already created. */
function madeBefore(state: ThreadState, ticket: RunTicket): StoredRun | undefined {
  const { runUuid, idempotency, createdAt } = ticket;
  const key = idempotency && findKey(state.keys, idempotency, createdAt);
  return state.runs.get(key?.runUuid ?? runUuid);
}

/**
 * Decisions: "second run while one is active". Asks the active run and the queued ones to stop where the ticket
 * requires that; returns their ids. A queued run stops at once, and is removed when it was to be rolled back.
 */
export function applyMultitaskStrategy(state: ThreadState, ticket: RunTicket): string[] {
  const { multitask } = ticket;
  if (multitask === undefined || multitask === 'reject' || madeBefore(state, ticket)) return [];
  const stopping = [...(state.active === undefined ? [] : [state.active]), ...state.queue];
  for (const runUuid of stopping) {
    const run = state.runs.get(runUuid);
    if (run && multitask === 'rollback') run.isRolledBack = true;
    cancelRun(state, runUuid, ticket.createdAt);
  }
  return stopping;
}

/**
 * Queues the run; a repeated ticket returns the same run. Runs beyond the history limit are removed, oldest first.
 * A run that has to wait for others does not begin within this task.
 */
export function createRun(state: ThreadState, ticket: RunTicket): StoredRun {
  const known = madeBefore(state, ticket);
  if (known) return known;
  const run = enqueueRun(state, ticket);
  if (state.active !== undefined || state.queue.length > 1) delete run.isShort;
  for (const old of state.runs.values()) {
    if (state.runs.size <= state.settings.maxRunHistory) break;
    if (isSettled(old.status)) forgetRun(state, old.runUuid);
  }
  return run;
}

/** Takes the next run from the queue, due or not, and makes it the active one. */
export function activateNextRun(state: ThreadState): StoredRun | undefined {
  const runUuid = state.queue.shift();
  if (runUuid === undefined) return undefined;
  state.active = runUuid;
  const run = state.runs.get(runUuid);
  const head = findCheckpoint(state.store, '');
  if (run && head) run.base = head.id;
  if (run) noteBegin(state, run);
  if (run) takeContext(state, run);
  return run;
}

/** Begins an attempt: from here on only its writes are accepted. */
export function beginAttempt(run: StoredRun): void {
  run.attempt += 1;
  run.seq = 0;
  if (run.lost) run.lastFailure = run.lost;
  delete run.lost;
  delete run.fence;
  delete run.retryAt;
}

/**
 * Continues the invocation of the attempt that was running when the thread changed executions. Spec: run
 * transitions, Continue-As-New interruption: recorded like a restart. The fence is unchanged, so that the guest's
 * writes under way are accepted, once.
 */
export function continueAttempt(run: StoredRun, now: number): void {
  run.fence = fenceOf(run);
  run.attempt += 1;
  run.continuations = (run.continuations ?? 0) + 1;
  run.lastFailure = 'CAN';
  run.updatedAt = now;
}

/** The attempt in which the invocation began whose writes are accepted. */
export function fenceOf(run: StoredRun): number {
  return run.fence ?? run.attempt;
}

/** Whether a batch belongs to the attempt that is running now. */
export function checkBatch(state: ThreadState, batch: CheckpointBatch): Refusal | undefined {
  const run = state.runs.get(batch.runUuid);
  const isCurrent = run && state.active === batch.runUuid && fenceOf(run) === batch.attempt;
  if (isCurrent && batch.firstSeq <= run.seq + 1) return undefined;
  return {
    code: 'run_fenced',
    message: `Attempt ${batch.attempt} of run ${batch.runUuid} is not the one that is running.`,
  };
}

/** Applies the writes that are new. */
export function applyBatch(state: ThreadState, batch: CheckpointBatch): void {
  const run = state.runs.get(batch.runUuid);
  const retain = state.settings.maxCheckpointHistory;
  batch.ops.forEach((op, index) => {
    const seq = batch.firstSeq + index;
    if (run && seq <= run.seq) return;
    if (run) run.seq = seq;
    if (run) run.hasWritten = true;
    applyOp(state.store, op, batch.runUuid, retain);
    state.revision += 1;
  });
}

/** What follows the end of an attempt: nothing more, or another attempt, after a pause or at once. */
export type AfterAttempt =
  { kind: 'settled' } | { kind: 'retry'; afterMs: number } | { kind: 'again' };

const RETRY_DEFERRED_MS = 1_000;

/** Records how the running attempt ended. `random` in [0, 1) spreads the restarts. */
export function finishAttempt(
  state: ThreadState,
  run: StoredRun,
  result: AttemptResult,
  random: number,
): AfterAttempt {
  if (!state.runs.has(run.runUuid)) {
    // Deleted while it was being cancelled.
    delete state.active;
    return { kind: 'settled' };
  }
  delete run.isShort;
  applyBatch(state, {
    runUuid: run.runUuid,
    attempt: run.attempt,
    firstSeq: result.firstSeq,
    ops: result.ops,
  });
  if (result.outcome === 'deferred' && run.status !== 'cancelling') {
    run.attempt -= 1;
    return { kind: 'retry', afterMs: RETRY_DEFERRED_MS };
  }
  if (result.outcome === 'detached' && run.status !== 'cancelling') {
    // The guest did not outlive the change of executions. The same attempt is started again, from the head.
    run.attempt -= 1;
    return { kind: 'again' };
  }
  const isLost = result.outcome === 'crash' || result.outcome === 'infra';
  if (isLost && run.status !== 'cancelling') {
    const failure = result.outcome === 'crash' ? 'CRASH' : 'INFRA';
    if (result.outcome === 'crash' || result.wasStuck) run.hasCrashed = true;
    run.updatedAt = result.endedAt;
    if (lostAttempts(run) <= run.restart.maxAttempts) {
      // Spec: run transitions, reported together with the next attempt.
      run.lost = failure;
      return { kind: 'retry', afterMs: backoff(run, random) };
    }
    run.lastFailure = failure;
    settle(state, run, 'fail', { ...result, error: exhausted(run, result.error) });
    return { kind: 'settled' };
  }
  settle(state, run, eventOf(result), result);
  return { kind: 'settled' };
}

/** Ends the active run without a result: it was cancelled before or between attempts, or did not stop in time. */
export function stopRun(state: ThreadState, run: StoredRun, now: number): void {
  settle(state, run, 'stop', withoutWrites('cancelled', now));
}

/** Spec: cancel. Idempotent: a run that has ended is unchanged. A queued run is cancelled at once. */
export function cancelRun(
  state: ThreadState,
  runUuid: string,
  now: number,
  how: CancelOptions = {},
): void {
  const run = state.runs.get(runUuid);
  if (!run || (how.isActiveOnly === true && isSettled(run.status))) return;
  if (how.isRollback === true && !isSettled(run.status)) run.isRolledBack = true;
  const next = nextRunStatus(run.status, 'cancel');
  if (next === run.status) return;
  run.status = next;
  if (next === 'cancelled') {
    // Its output is the question that it asked.
    delete run.output;
    if (isAsker(state, run)) state.isWithdrawn = true;
  }
  run.updatedAt = now;
  state.updatedAt = now;
  const waits = state.queue.indexOf(runUuid);
  if (waits < 0) return;
  state.queue.splice(waits, 1);
  stopRun(state, run, now);
}

/** Spec: DELETE /runs/{run_id}, 409 while pending or running. */
export function checkDeleteRun(state: ThreadState, runUuid: string): Refusal | undefined {
  const run = state.runs.get(runUuid);
  if (!run) return { code: 'run_not_found', message: `There is no run ${runUuid} on this thread.` };
  if (run.status !== 'running' && run.status !== 'pending') return undefined;
  return { code: 'run_active', message: 'The run is still running: cancel it first.' };
}

/**
 * Removes a run with its checkpoints, except the heads that another run may continue from: the thread's state is kept,
 * with its status and the open question.
 */
export function deleteRun(state: ThreadState, runUuid: string, now: number): void {
  const run = state.runs.get(runUuid);
  if (run && run === newestRun(state)) leaveStatus(state, run);
  if (run?.isRolledBack) rollBack(state, run);
  else forgetRun(state, runUuid);
  // A client that deletes a run may create it again with the same key.
  if (state.keys) state.keys = state.keys.filter((key) => key.runUuid !== runUuid);
  state.updatedAt = now;
}

/**
 * Spec: Errors, `CANPayloadBudgetExceeded`: the thread runs nothing more. Reads, copy and delete work. The active run
 * and the queued ones end with the error; returns their ids.
 */
export function stopThread(state: ThreadState, now: number): string[] {
  const message = 'The state of the thread is too large to continue.';
  const error = { code: 'CANPayloadBudgetExceeded', message };
  state.stopped = error;
  state.updatedAt = now;
  const ended = [...(state.active === undefined ? [] : [state.active]), ...state.queue.splice(0)];
  for (const runUuid of ended) {
    const run = state.runs.get(runUuid);
    const result = { ...withoutWrites('error', now), error };
    if (run) settle(state, run, 'fail', result);
  }
  return ended;
}

/** The run's start was applied: it has its own checkpoint in the root namespace. */
export function hasOwnCheckpoint(state: ThreadState, runUuid: string): boolean {
  return findCheckpoint(state.store, '')?.run === runUuid;
}

function settle(
  state: ThreadState,
  run: StoredRun,
  event: RunEventKind,
  result: AttemptResult,
): void {
  run.status = nextRunStatus(run.status, event);
  run.updatedAt = result.endedAt;
  state.updatedAt = result.endedAt;
  if (run.isRolledBack) {
    rollBack(state, run);
    return;
  }
  delete run.request;
  delete run.base;
  delete run.lost;
  delete run.isShort;
  if (run.status === 'error' && result.error) run.error = result.error;
  const hasOutput = run.status === 'completed' || run.status === 'interrupted';
  if (hasOutput && result.output) run.output = result.output;
  if (run.status === 'interrupted' && result.interrupts) run.interrupts = result.interrupts;
  delete run.retryAt;
  const isActive = state.active === run.runUuid;
  if (isActive) delete state.active;
  if (run.status === 'cancelled' && !run.hasWritten) {
    leaveAsBefore(state, run);
    return;
  }
  // The end of a run that has not begun does not affect the question at the head.
  if (!isActive) return;
  dropEarlyWrites(state.store);
  delete state.questions;
  delete state.left;
  delete state.isWithdrawn;
  if (run.status === 'cancelled' && result.interrupts) state.isWithdrawn = true;
}

/**
 * Decisions: "run transitions". The run is removed, however it has ended, and the head is the previous one; its
 * questions are open again. Where that head is no longer retained, the checkpoints of the run are kept.
 */
function rollBack(state: ThreadState, run: StoredRun): void {
  const { base } = run;
  if (state.active === run.runUuid) dropEarlyWrites(state.store);
  const isBaseThere = base === undefined || findCheckpoint(state.store, '', base) !== undefined;
  if (isBaseThere) rollBackRun(state.store, run.runUuid);
  removeRun(state, run.runUuid);
  if (state.active === run.runUuid) delete state.active;
  state.revision += 1;
}

function forgetRun(state: ThreadState, runUuid: string): void {
  if (!removeRun(state, runUuid)) return;
  if (state.active === runUuid) delete state.active;
  state.revision += 1;
  const { store } = state;
  dropRun(store, runUuid, {
    isHeadDropped: (ns) => !isHeadWanted(store, ns),
    isEnough: () => false,
  });
}
