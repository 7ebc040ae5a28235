/**
 * One thread, for years. Update handlers are synchronous: they apply the reducer and queue work; one loop starts and
 * watches the runs. Nothing here decides what a change means: that is `model/thread-reducer.ts`.
 */
import {
  ApplicationFailure,
  condition,
  continueAsNew,
  proxySinks,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { packFrame, unpackFrame } from '../model/frame.ts';
import {
  IDLE_CONTINUE_BYTES,
  IDLE_CONTINUE_EVENTS,
  IDLE_CONTINUE_STRETCH,
} from '../model/limits.ts';
import * as reducer from '../model/thread-reducer.ts';
import { reportRun, reportThread } from '../model/thread-read.ts';
import { compact } from '../model/thread-compaction.ts';
import {
  openThread,
  snapshotThread,
  threadStatus,
  type StoredRun,
  type ThreadState,
} from '../model/thread-state.ts';
import type { CheckpointBatch, RunTicket, ThreadStart } from '../model/thread-wire.ts';
import { performAttempt } from './attempt.ts';
import * as messages from './messages.ts';
import { answerQueries } from './queries.ts';
import { createStatusAttribute } from './status-attribute.ts';

const { thread: hints } = proxySinks<messages.ThreadSinks>();

/** An interrupted stateless run waits this long for its answer (decisions: "ephemeral threads"). */
const EPHEMERAL_RETENTION = '72h';

/** Takes a ThreadStart frame. Ends only when a stateless run has settled; other threads are deleted. */
export async function threadWorkflow(start: Uint8Array): Promise<void> {
  const state = openThread(unpackFrame<ThreadStart>(start));
  const status = createStatusAttribute(state);
  answerQueries(state);
  acceptUpdates(state, status.publish);

  // Grows when the thread does not fit into the next execution: it then goes on in this one for a while.
  let stretch = 1;
  const isDue = (): boolean => state.stopped === undefined && isHistoryLong(stretch);
  for (;;) {
    const hasWork = (): boolean => state.queue.length > 0 || isFinished(state) || isDue();
    const waitsForAnswer = state.isEphemeral && threadStatus(state) === 'interrupted';
    if (!waitsForAnswer) await condition(hasWork);
    else if (!(await condition(hasWork, EPHEMERAL_RETENTION))) return;
    if (isFinished(state)) return;
    if (isDue()) {
      if (compact(state) !== undefined) {
        await continueAsNew<typeof threadWorkflow>(
          packFrame({ kind: 'continued', snapshot: snapshotThread(state) } satisfies ThreadStart),
        );
      }
      // The inputs of runs that wait count too, and they go.
      if (state.queue.length === 0) stretch *= 2;
      if (stretch > IDLE_CONTINUE_STRETCH) reducer.stopThread(state, Date.now());
    }
    const run = reducer.activateNextRun(state);
    if (run) await runToEnd(state, run);
    status.publish();
  }
}

/** Attempt after attempt until the run has settled. */
async function runToEnd(state: ThreadState, run: StoredRun): Promise<void> {
  for (;;) {
    reducer.beginAttempt(run);
    const result = await performAttempt(state, run);
    const next = result
      ? reducer.finishAttempt(state, run, result, Math.random())
      : (reducer.stopRun(state, run, Date.now()), { kind: 'settled' as const });
    if (next.kind === 'settled') break;
    const isStopped = (): boolean => run.status === 'cancelling' || !state.runs.has(run.runUuid);
    if (await condition(isStopped, next.afterMs)) {
      reducer.stopRun(state, run, Date.now());
      break;
    }
  }
  hints.runSettled(state.threadId, run.runUuid);
}

function acceptUpdates(state: ThreadState, publishStatus: () => void): void {
  setHandler(
    messages.createRunUpdate,
    (frame) => {
      const run = reducer.createRun(state, unpackFrame<RunTicket>(frame));
      return packFrame(reportRun(state, run));
    },
    { validator: (frame) => refuse(reducer.checkCreateRun(state, unpackFrame<RunTicket>(frame))) },
  );

  setHandler(
    messages.applyBatchUpdate,
    (frame) => {
      reducer.applyBatch(state, unpackFrame<CheckpointBatch>(frame));
      // Only runs that last send batches: short ones leave the visibility store alone.
      publishStatus();
      return undefined;
    },
    {
      validator: (frame) => refuse(reducer.checkBatch(state, unpackFrame<CheckpointBatch>(frame))),
    },
  );

  setHandler(
    messages.cancelRunUpdate,
    (frame) => {
      const { runUuid, now } = unpackFrame<{ runUuid: string; now: number }>(frame);
      const before = state.runs.get(runUuid)?.status;
      reducer.cancelRun(state, runUuid, now);
      const run = state.runs.get(runUuid);
      if (!run) throw ApplicationFailure.nonRetryable('There is no such run.', 'run_not_found');
      const report = reportRun(state, run);
      // Spec: cancel answers `cancelling`, also where nothing runs that would have to stop first.
      const isCancelled = report.status === 'cancelled' && before !== 'cancelled';
      if (isCancelled) hints.runSettled(state.threadId, runUuid);
      return packFrame(isCancelled ? { ...report, status: 'cancelling' } : report);
    },
    { validator: (frame) => refuse(checkKnown(state, frame)) },
  );

  setHandler(
    messages.deleteRunUpdate,
    (frame) => {
      const { runUuid, now } = unpackFrame<{ runUuid: string; now: number }>(frame);
      reducer.deleteRun(state, runUuid, now);
      return undefined;
    },
    {
      validator: (frame) => {
        refuse(reducer.checkDeleteRun(state, unpackFrame<{ runUuid: string }>(frame).runUuid));
      },
    },
  );

  setHandler(messages.patchMetadataUpdate, (frame) => {
    const { metadata, now } = unpackFrame<{ metadata: Record<string, string>; now: number }>(frame);
    reducer.patchMetadata(state, metadata, now);
    return packFrame(reportThread(state));
  });
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

/** Between runs the thread goes on in a new execution, so that its history stays short. */
function isHistoryLong(stretch: number): boolean {
  const { historyLength, historySize } = workflowInfo();
  return (
    historyLength >= IDLE_CONTINUE_EVENTS * stretch || historySize >= IDLE_CONTINUE_BYTES * stretch
  );
}
