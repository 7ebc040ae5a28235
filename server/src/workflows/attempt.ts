import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  condition,
  proxyActivities,
  ActivityCancellationType,
} from '@temporalio/workflow';
import { packFrame, unpackFrame } from '../model/frame.ts';
import { CANCEL_GRACE_MS, HEARTBEAT_TIMEOUT_MS } from '../model/limits.ts';
import { hasOwnCheckpoint } from '../model/thread-reducer.ts';
import type { StoredRun, ThreadState } from '../model/thread-state.ts';
import type { AttemptInput, AttemptResult } from '../model/thread-wire.ts';
import type { ThreadActivities } from './activity-types.ts';

/** The host fences a run that does not stop after the grace; we wait a little longer for its last checkpoints. */
const CANCEL_WAIT_MS = CANCEL_GRACE_MS + 2_000;

/**
 * Runs the current attempt of a run to its end. Undefined when it was cancelled and did not stop in time: its
 * writes are fenced from then on.
 */
export async function performAttempt(
  state: ThreadState,
  run: StoredRun,
): Promise<AttemptResult | undefined> {
  const scope = new CancellationScope();
  let result: AttemptResult | undefined;
  const watch = scope
    .run(() => agentActivity(run).runAgent(packFrame(attemptInput(state, run))))
    .then(
      (frame) => (result = unpackFrame<AttemptResult>(frame)),
      (error: unknown) => (result = lostAttempt(error)),
    );
  const isStopped = (): boolean => run.status === 'cancelling' || !state.runs.has(run.runUuid);
  await condition(() => result !== undefined || isStopped());
  if (result) return result;
  scope.cancel();
  await Promise.race([watch, condition(() => result !== undefined, CANCEL_WAIT_MS)]);
  return result;
}

/** Restarts are ours: the engine's retry policy would hide `attempt` and `last_failure` while the run goes on. */
function agentActivity(run: StoredRun): ThreadActivities {
  return proxyActivities<ThreadActivities>({
    activityId: `${run.runUuid}:${run.attempt}`,
    // A run may take as long as it takes; a lost worker shows in the heartbeat.
    startToCloseTimeout: '365 days',
    heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
    retry: { maximumAttempts: 1 },
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  });
}

function attemptInput(state: ThreadState, run: StoredRun): AttemptInput {
  return {
    threadId: state.threadId,
    runUuid: run.runUuid,
    agentId: run.agentId,
    attempt: run.attempt,
    createdAt: run.createdAt,
    metadata: run.metadata,
    maxAttempts: run.restart.maxAttempts,
    hasOwnCheckpoint: hasOwnCheckpoint(state, run.runUuid),
    revision: state.revision,
    request: run.request ?? new Uint8Array(0),
    settings: state.settings,
    ...(run.lastFailure && { lastFailure: run.lastFailure }),
  };
}

/** Whatever the engine reports of an activity that did not complete by itself: its worker is lost. */
function lostAttempt(error: unknown): AttemptResult {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  const isCancelled = cause instanceof Error && cause.name === 'CancelledFailure';
  const message = cause instanceof ApplicationFailure ? cause.message : 'The worker was lost.';
  return {
    outcome: isCancelled ? 'cancelled' : 'infra',
    endedAt: Date.now(),
    firstSeq: 1,
    ops: [],
    error: { code: 'restarts_exhausted', message },
  };
}
