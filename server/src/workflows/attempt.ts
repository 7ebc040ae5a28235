import {
  ActivityCancellationType,
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  condition,
  proxyActivities,
  proxyLocalActivities,
  workflowInfo,
} from '@temporalio/workflow';
import { findCheckpoint } from '../model/checkpoint/checkpoint-store.ts';
import { packFrame, unpackFrame } from '../model/frame.ts';
import { CANCEL_GRACE_MS, HEARTBEAT_TIMEOUT_MS } from '../model/limits/run-waits.ts';
import { withoutWrites } from '../model/run/attempt-end.ts';
import { isSettled, runFacts } from '../model/run/run.ts';
import { fenceOf, hasOwnCheckpoint } from '../model/thread/thread-reducer.ts';
import type { StoredRun } from '../model/run/run-record.ts';
import type { ThreadState } from '../model/thread/thread-record.ts';
import type { AttemptInput, AttemptResult } from '../model/thread/thread-wire.ts';
import type { ThreadActivities } from './activity-types.ts';

/** The host fences a run that does not stop after the grace; the workflow waits a little longer for its last writes. */
const CANCEL_WAIT_MS = CANCEL_GRACE_MS + 2_000;

/** How long a run that was cancelled while its thread changed executions may take to be taken over and stopped. */
const TAKE_OVER_MS = 2_000;

/** Started, task scheduled, task started. */
const FIRST_TASK_EVENTS = 3;

const LOST = { code: 'restarts_exhausted', message: 'The worker was lost.' };

/** An attempt whose activity is scheduled. */
export interface RunningAttempt {
  /**
   * Resolves with the attempt's result, or with `due` as soon as `isDue` is true before that. Undefined when the
   * run was cancelled and did not stop in time: its writes are fenced from then on.
   */
  end(isDue: () => boolean): Promise<AttemptResult | 'due' | undefined>;
  /** Asks the activity to stop and does not wait for it. */
  abandon(): void;
}

/** True when nothing more is to be done for the run. */
export function isRunOver(state: ThreadState, run: StoredRun): boolean {
  return run.status === 'cancelling' || isSettled(run.status) || !state.runs.has(run.runUuid);
}

/** Starts the current attempt of a run. */
export function startAttempt(state: ThreadState, run: StoredRun): RunningAttempt {
  const scope = new CancellationScope();
  let result: AttemptResult | undefined;
  void scope
    .run(() => performAttempt(state, run))
    .then(
      (ended) => (result = ended),
      (error: unknown) => (result = lostAttempt(error)),
    );
  const hasEnded = (): boolean => result !== undefined;
  return {
    async end(isDue) {
      const isOver = (): boolean => isRunOver(state, run);
      await condition(() => hasEnded() || isOver() || isDue());
      if (result) return result;
      if (!isOver()) return 'due';
      // An activity that is cancelled at once would not even start, and its guest's last writes would be lost.
      if (isTakenOver(run)) await condition(hasEnded, TAKE_OVER_MS);
      scope.cancel();
      // Its timer is cancelled before anything follows: a thread that then changes executions could not be replayed.
      await condition(hasEnded, CANCEL_WAIT_MS);
      return result;
    },
    abandon: () => scope.cancel(),
  };
}

/** A short run begins within this workflow task (activities/short-run.ts), and is taken over by an activity if it lasts. */
async function performAttempt(state: ThreadState, run: StoredRun): Promise<AttemptResult> {
  if (!run.isShort) return throughActivity(run, attemptInput(state, run));
  const isRepeated = isFirstTaskRepeated(state);
  const frame = packFrame({ ...attemptInput(state, run), ...(isRepeated && { isRepeated }) });
  const result = unpackFrame<AttemptResult>(await localActivities.runShort(frame));
  if (result.outcome !== 'continues') return result;
  delete run.isShort;
  const taken = await throughActivity(run, { ...attemptInput(state, run), fence: run.attempt });
  // The process of the invocation is gone: unlike a thread that changes executions, this one has not counted an attempt.
  return taken.outcome === 'detached' ? { ...taken, outcome: 'infra', error: LOST } : taken;
}

async function throughActivity(run: StoredRun, input: AttemptInput): Promise<AttemptResult> {
  return unpackFrame<AttemptResult>(await agentActivity(run).runAgent(packFrame(input)));
}

/** The task of a stateless run's start was lost, perhaps with the process in which the run had begun. */
function isFirstTaskRepeated(state: ThreadState): boolean {
  const isOfStart = state.isEphemeral && state.runs.size === 1;
  return isOfStart && workflowInfo().historyLength > FIRST_TASK_EVENTS;
}

/** The attempt continues an invocation that began in an earlier one. */
function isTakenOver(run: StoredRun): boolean {
  return fenceOf(run) < run.attempt;
}

/** The invocation ends the local activity in time: the limit is for a process that does not respond. */
const localActivities = proxyLocalActivities<ThreadActivities>({
  startToCloseTimeout: '10s',
  retry: { maximumAttempts: 1 },
});

/** The workflow restarts: the engine's retry policy would hide `attempt` and `last_failure` while the run continues. */
function agentActivity(run: StoredRun): ThreadActivities {
  return proxyActivities<ThreadActivities>({
    activityId: `${run.runUuid}:${run.attempt}`,
    // A run has no time limit; a lost worker shows in the heartbeat.
    startToCloseTimeout: '365 days',
    heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
    retry: { maximumAttempts: 1 },
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  });
}

function attemptInput(state: ThreadState, run: StoredRun): AttemptInput {
  const head = findCheckpoint(state.store, '');
  return {
    threadId: state.threadId,
    ...runFacts(run),
    attempt: run.attempt,
    maxAttempts: run.restart.maxAttempts,
    hasOwnCheckpoint: hasOwnCheckpoint(state, run.runUuid),
    revision: state.revision,
    request: run.request ?? new Uint8Array(0),
    settings: state.settings,
    ...(head && { headId: head.id }),
    ...(run.lastFailure && { lastFailure: run.lastFailure }),
    ...(isTakenOver(run) && { fence: fenceOf(run) }),
    ...(run.status === 'cancelling' && { isCancelled: true }),
    ...(run.hasCrashed && { hasCrashed: true }),
    ...(run.context && { context: run.context }),
  };
}

/** The result for an activity that did not complete by itself, whatever the engine reports: its worker is lost. */
function lostAttempt(error: unknown): AttemptResult {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  const isCancelled = cause instanceof Error && cause.name === 'CancelledFailure';
  const message = cause instanceof ApplicationFailure ? cause.message : LOST.message;
  const result = withoutWrites(isCancelled ? 'cancelled' : 'infra', Date.now());
  return { ...result, error: { ...LOST, message } };
}
