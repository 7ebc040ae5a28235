/*
 * Stateless runs have their own thread, which ends with them and stays readable for 72 h. An interrupted one
 * waits for its answer equally long.
 *
 * What replays: besides the commands themselves, the number of `await`s between them matters: `runToEnd` is one
 * function for that reason.
 *
 * Workflow code is bundled with its modules evaluated once per process (none of them keeps state that differs between
 * threads), and `test/histories` holds recorded histories of every release, all of which must replay
 * (`test/integration/replay.test.ts`; `record.ts` makes the set of the package's version). Until the first release its
 * set is recorded again when the recorded content changes; from then on a change that affects replay needs a
 * `patched()` mark.
 */
/**
 * One thread, for years. Update handlers (thread-updates.ts) apply the reducer synchronously and queue work; one
 * loop starts and watches the runs. The meaning of a change is decided in `model/thread/thread-reducer.ts`, not here.
 */
import {
  allHandlersFinished,
  ApplicationFailure,
  condition,
  makeContinueAsNewFunc,
  proxySinks,
  setHandler,
  upsertMemo,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { packFrame, unpackFrame } from '../model/frame.ts';
import { isSettled } from '../model/run/run.ts';
import { isRunDue, nextBegin } from '../model/run/run-queue.ts';
import * as reducer from '../model/thread/thread-reducer.ts';
import type { StoredRun } from '../model/run/run-record.ts';
import type { ThreadState } from '../model/thread/thread-record.ts';
import { isFinished, openThread, threadStatus } from '../model/thread/thread-state.ts';
import { reportRun } from '../model/thread/thread-read.ts';
import type { RunReport, ThreadStart } from '../model/thread/thread-wire.ts';
import { isRunOver, startAttempt } from './attempt.ts';
import * as messages from './messages.ts';
import { type ExecutionPort, NextExecution } from './next-execution.ts';
import { threadQueries, type ThreadQueries } from './queries.ts';
import { createThreadIndex, indexOfNext, type ThreadIndex } from './thread-index.ts';
import { threadUpdates, type ThreadUpdates } from './thread-updates.ts';

const { thread: hints } = proxySinks<messages.ThreadSinks>();

/** An interrupted stateless run waits this long for its answer (decisions: "ephemeral threads"). */
const EPHEMERAL_RETENTION = '72h';

/** Its input is a ThreadStart frame. Ends only when a stateless run has settled; other threads are deleted. */
export async function threadWorkflow(start: Uint8Array): Promise<void> {
  const state = openThread(unpackFrame<ThreadStart>(start));
  const index = createThreadIndex(state, { upsertSearchAttributes, upsertMemo });
  const next = new NextExecution(state, thisExecution(state));
  const countUpdate = (): void => next.countUpdate();
  const { runSettled } = hints;
  registerQueries(threadQueries(state));
  acceptUpdates(state, next, threadUpdates(state, { index, countUpdate, runSettled, refuse }));

  // The previous execution ended with an active run.
  const active = state.active === undefined ? undefined : state.runs.get(state.active);
  if (active) {
    await runToEnd({ state, next, index, run: active, isContinued: true });
    index.publish();
  }
  for (;;) {
    next.measure();
    const isDue = (): boolean => isRunDue(state, Date.now());
    const begin = nextBegin(state);
    // A different begin time needs a different timer.
    const isMoved = (): boolean => nextBegin(state) !== begin;
    const isWanted = (): boolean => isMoved() || isFinished(state) || next.isDue();
    const hasWork = (): boolean => isDue() || isWanted();
    const waitsForAnswer = state.isEphemeral && threadStatus(state) === 'interrupted';
    if (begin !== undefined && !isDue()) {
      // An Update may arrive together with the start of the thread on one worker and separately on the one that replays
      // it: the commands must be the same, in the same order, in both cases.
      await condition(allHandlersFinished);
      index.publish();
      // The clock alone counts when the timer fires: the task of a refused Update, which may be later, does not replay.
      await condition(isWanted, begin - Date.now());
    } else if (!waitsForAnswer) await condition(hasWork);
    else if (!(await condition(hasWork, EPHEMERAL_RETENTION))) return;
    // The responses to the Updates that brought it about.
    if (isFinished(state)) return condition(allHandlersFinished);
    if (next.isDue()) await next.continueAsNew();
    const run = isDue() ? reducer.activateNextRun(state) : undefined;
    if (run) await runToEnd({ state, next, index, run, isContinued: false });
    index.publish();
  }
}

function thisExecution(state: ThreadState): ExecutionPort {
  return {
    history: workflowInfo,
    continueAsNew(frame) {
      const index = indexOfNext(state, workflowInfo().memo);
      return makeContinueAsNewFunc<typeof threadWorkflow>(index)(frame);
    },
    untilHandlersFinish: () => condition(allHandlersFinished),
    hints,
  };
}

interface ActiveRun {
  state: ThreadState;
  next: NextExecution;
  index: ThreadIndex;
  run: StoredRun;
  /** The run was active when the previous execution ended. */
  isContinued: boolean;
}

/**
 * Runs attempts until the run has settled, or the thread continues in its next execution. All in one function:
 * another `await` in between would change the order of commands, and with it what recorded histories replay to.
 */
async function runToEnd({ state, next, index, run, isContinued }: ActiveRun): Promise<void> {
  const isOver = (): boolean => isRunOver(state, run);
  let isTakenOver = isContinued && run.retryAt === undefined;
  for (;;) {
    next.measure();
    let isWoken = false;
    while (run.retryAt !== undefined) {
      const rest = Math.max(0, run.retryAt - Date.now());
      // Nothing may have been published before the first attempt was lost.
      index.publish();
      isWoken = await condition(() => isOver() || next.isDue(), rest);
      if (!isWoken || isOver()) break;
      await next.continueAsNew();
    }
    if (isWoken) {
      reducer.stopRun(state, run, Date.now());
      break;
    }
    if (isTakenOver) reducer.continueAttempt(run, Date.now());
    else reducer.beginAttempt(run);
    isTakenOver = false;
    const attempt = startAttempt(state, run);
    let end = await attempt.end(() => !run.isShort && next.isDue());
    while (end === 'due') {
      await next.continueAsNew();
      end = isOver() ? undefined : await attempt.end(() => next.isDue());
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

/** Set before the first `await`. The order affects replay: a handler gets the waiting Updates as soon as it is set. */
function acceptUpdates(state: ThreadState, next: NextExecution, updates: ThreadUpdates): void {
  const { createRun, applyBatch, cancelRun, deleteRun } = updates;
  const create = (frame: Uint8Array): Uint8Array | Promise<Uint8Array> =>
    responseToCreate(state, next, createRun.handler(frame));
  setHandler(messages.createRunUpdate, create, { validator: createRun.validator });
  setHandler(messages.applyBatchUpdate, applyBatch.handler, { validator: applyBatch.validator });
  setHandler(messages.cancelRunUpdate, cancelRun.handler, { validator: cancelRun.validator });
  setHandler(messages.deleteRunUpdate, deleteRun.handler, { validator: deleteRun.validator });
  const { patchMetadata, updateState } = updates;
  setHandler(messages.patchMetadataUpdate, patchMetadata.handler, {
    validator: patchMetadata.validator,
  });
  setHandler(messages.updateStateUpdate, updateState.handler, { validator: updateState.validator });
}

/** A run that begins within this task is reported when it has ended, or continues after the task. */
function responseToCreate(
  state: ThreadState,
  next: NextExecution,
  report: Uint8Array,
): Uint8Array | Promise<Uint8Array> {
  const run = state.runs.get(unpackFrame<RunReport>(report).runUuid);
  if (!run?.isShort) return report;
  // The next execution, which waits for this response, would begin first.
  if (next.isDue()) delete run.isShort;
  const isOver = (): boolean => isSettled(run.status) || !run.isShort;
  return isOver() ? report : condition(isOver).then(() => packFrame(reportRun(state, run)));
}

function registerQueries(queries: ThreadQueries): void {
  setHandler(messages.threadQuery, queries.thread);
  setHandler(messages.runQuery, queries.run);
  setHandler(messages.contextQuery, queries.context);
  setHandler(messages.runsQuery, queries.runs);
  setHandler(messages.checkpointsQuery, queries.checkpoints);
  setHandler(messages.blobsQuery, queries.blobs);
  setHandler(messages.extractQuery, queries.extract);
  setHandler(messages.referencesQuery, queries.references);
  setHandler(messages.sizeQuery, queries.size);
}

/** A validator refuses by throwing: the Update then leaves no trace in the history. */
function refuse(refusal: reducer.Refusal): never {
  throw ApplicationFailure.nonRetryable(refusal.message, refusal.code);
}
