/**
 * One thread, for years. Update handlers are synchronous: they apply the reducer and queue work; one loop starts and
 * watches the runs. Nothing here decides what a change means: that is `model/thread-reducer.ts`.
 */
import { ApplicationFailure, condition, proxySinks, setHandler } from '@temporalio/workflow';
import { packFrame, unpackFrame } from '../model/frame.ts';
import { isSettled } from '../model/run.ts';
import { checkStateCommit, commitState } from '../model/state-commit.ts';
import { checkPatchMetadata, patchMetadata } from '../model/thread-metadata.ts';
import * as reducer from '../model/thread-reducer.ts';
import { reportRun, reportThread } from '../model/thread-read.ts';
import {
  openThread,
  threadStatus,
  type StoredRun,
  type ThreadState,
} from '../model/thread-state.ts';
import type { CheckpointBatch, RunTicket, StateCommit, ThreadStart } from '../model/thread-wire.ts';
import { isRunOver, startAttempt } from './attempt.ts';
import * as messages from './messages.ts';
import { watchHistory, type NextExecution } from './next-execution.ts';
import { answerQueries } from './queries.ts';
import { createThreadIndex, type ThreadIndex } from './thread-index.ts';

const { thread: hints } = proxySinks<messages.ThreadSinks>();

/** An interrupted stateless run waits this long for its answer (decisions: "ephemeral threads"). */
const EPHEMERAL_RETENTION = '72h';

/** Takes a ThreadStart frame. Ends only when a stateless run has settled; other threads are deleted. */
export async function threadWorkflow(start: Uint8Array): Promise<void> {
  const state = openThread(unpackFrame<ThreadStart>(start));
  const index = createThreadIndex(state);
  const next = watchHistory(state);
  answerQueries(state);
  acceptUpdates(state, { index, countUpdate: next.countUpdate });

  // The execution before this one ended with a run active.
  const active = state.active === undefined ? undefined : state.runs.get(state.active);
  if (active) {
    await runToEnd({ state, next, index, run: active, isContinued: true });
    index.publish();
  }
  for (;;) {
    const hasWork = (): boolean => state.queue.length > 0 || isFinished(state) || next.isDue();
    const waitsForAnswer = state.isEphemeral && threadStatus(state) === 'interrupted';
    if (!waitsForAnswer) await condition(hasWork);
    else if (!(await condition(hasWork, EPHEMERAL_RETENTION))) return;
    if (isFinished(state)) return;
    if (next.isDue()) await next.enter();
    const run = reducer.activateNextRun(state);
    if (run) await runToEnd({ state, next, index, run, isContinued: false });
    index.publish();
  }
}

interface ActiveRun {
  state: ThreadState;
  next: NextExecution;
  index: ThreadIndex;
  run: StoredRun;
  /** The run was active when the execution before this one ended. */
  isContinued: boolean;
}

/**
 * Attempt after attempt until the run has settled, or the thread goes on in its next execution. All in one function:
 * another `await` on the way would change the order of commands, and with it what old histories replay to.
 */
async function runToEnd({ state, next, index, run, isContinued }: ActiveRun): Promise<void> {
  const isOver = (): boolean => isRunOver(state, run);
  let isTakenOver = isContinued && run.retryAt === undefined;
  for (;;) {
    let isWoken = false;
    while (run.retryAt !== undefined) {
      const rest = Math.max(0, run.retryAt - Date.now());
      // Nothing may have been sent before the first attempt was lost.
      index.publishNow();
      isWoken = await condition(() => isOver() || next.isDue(), rest);
      if (!isWoken || isOver()) break;
      await next.enter();
    }
    if (isWoken) {
      reducer.stopRun(state, run, Date.now());
      break;
    }
    if (isTakenOver) reducer.continueAttempt(run, Date.now());
    else reducer.beginAttempt(run);
    isTakenOver = false;
    const attempt = startAttempt(state, run);
    let end = await attempt.end(next.isDue);
    while (end === 'due') {
      await next.enter();
      end = isOver() ? undefined : await attempt.end(next.isDue);
    }
    if (isSettled(run.status)) {
      // The thread did not fit: it was stopped, and the run with it.
      attempt.abandon();
      break;
    }
    const after = end
      ? reducer.finishAttempt(state, run, end, Math.random())
      : (reducer.stopRun(state, run, Date.now()), { kind: 'settled' as const });
    if (after.kind === 'settled') break;
    if (after.kind === 'retry') run.retryAt = Date.now() + after.afterMs;
  }
  hints.runSettled(state.threadId, run.runUuid, run.status);
}

function acceptUpdates(
  state: ThreadState,
  { index, countUpdate }: { index: ThreadIndex; countUpdate(): void },
): void {
  setHandler(
    messages.createRunUpdate,
    (frame) => {
      countUpdate();
      const ticket = unpackFrame<RunTicket>(frame);
      const replaced = reducer.makeWay(state, ticket);
      const run = reducer.createRun(state, ticket);
      for (const runUuid of replaced) tellStopped(state, runUuid);
      const report = reportRun(state, run);
      return packFrame(replaced.length > 0 ? { ...report, replaced } : report);
    },
    { validator: (frame) => refuse(reducer.checkCreateRun(state, unpackFrame<RunTicket>(frame))) },
  );

  setHandler(
    messages.applyBatchUpdate,
    (frame) => {
      countUpdate();
      reducer.applyBatch(state, unpackFrame<CheckpointBatch>(frame));
      // Only runs that last send batches: short ones leave the visibility store alone.
      index.publish();
      return undefined;
    },
    {
      validator: (frame) => refuse(reducer.checkBatch(state, unpackFrame<CheckpointBatch>(frame))),
    },
  );

  setHandler(
    messages.cancelRunUpdate,
    (frame) => {
      countUpdate();
      const { runUuid, now } = unpackFrame<{ runUuid: string; now: number }>(frame);
      const before = state.runs.get(runUuid)?.status;
      reducer.cancelRun(state, runUuid, now);
      index.publishNow();
      const run = state.runs.get(runUuid);
      if (!run) throw ApplicationFailure.nonRetryable('There is no such run.', 'run_not_found');
      const report = reportRun(state, run);
      // Spec: cancel answers `cancelling`, also where nothing runs that would have to stop first.
      const isCancelled = report.status === 'cancelled' && before !== 'cancelled';
      if (isCancelled) hints.runSettled(state.threadId, runUuid, report.status);
      return packFrame(isCancelled ? { ...report, status: 'cancelling' } : report);
    },
    { validator: (frame) => refuse(checkKnown(state, frame)) },
  );

  setHandler(
    messages.deleteRunUpdate,
    (frame) => {
      countUpdate();
      const { runUuid, now } = unpackFrame<{ runUuid: string; now: number }>(frame);
      reducer.deleteRun(state, runUuid, now);
      index.publishNow();
      return undefined;
    },
    {
      validator: (frame) => {
        refuse(reducer.checkDeleteRun(state, unpackFrame<{ runUuid: string }>(frame).runUuid));
      },
    },
  );

  setHandler(
    messages.patchMetadataUpdate,
    (frame) => {
      countUpdate();
      const { metadata, now } = unpackFrame<{ metadata: Record<string, string>; now: number }>(
        frame,
      );
      patchMetadata(state, metadata, now);
      index.publishMetadata();
      return packFrame(reportThread(state));
    },
    {
      validator: (frame) => {
        const { metadata } = unpackFrame<{ metadata: Record<string, string> }>(frame);
        refuse(checkPatchMetadata(state, metadata));
      },
    },
  );

  setHandler(
    messages.updateStateUpdate,
    (frame) => {
      countUpdate();
      commitState(state, unpackFrame<StateCommit>(frame));
      return undefined;
    },
    { validator: (frame) => refuse(checkStateCommit(state, unpackFrame<StateCommit>(frame))) },
  );
  setHandler(messages.indexThreadUpdate, () => {
    countUpdate();
    index.begin();
    return packFrame(reportThread(state));
  });
}

/** A run that waited in the queue stops at once, and may be gone by now. */
function tellStopped(state: ThreadState, runUuid: string): void {
  if (state.active === runUuid) return;
  hints.runSettled(state.threadId, runUuid, state.runs.get(runUuid)?.status ?? 'cancelled');
}

function checkKnown(state: ThreadState, frame: Uint8Array): reducer.Refusal | undefined {
  const { runUuid } = unpackFrame<{ runUuid: string }>(frame);
  if (state.runs.has(runUuid)) return undefined;
  return { code: 'run_not_found', message: `There is no run ${runUuid} on this thread.` };
}

/** A validator refuses by throwing: the Update then leaves no trace in the history. */
function refuse(refusal: reducer.Refusal | undefined): void {
  if (refusal) throw ApplicationFailure.nonRetryable(refusal.message, refusal.code);
}

/** A stateless run's thread ends with it; the engine's retention keeps it readable. An interrupted one may be resumed. */
function isFinished(state: ThreadState): boolean {
  if (!state.isEphemeral || state.active !== undefined || state.queue.length > 0) return false;
  return threadStatus(state) !== 'interrupted';
}
