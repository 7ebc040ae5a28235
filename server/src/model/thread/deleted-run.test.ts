// DELETE of a run takes its record and checkpoints: the thread stays what the run made it.
import { expect, it } from 'vitest';
import { result, save, started, thread, ticket } from '../../../test/fixtures/thread-builder.ts';
import { toBytes } from '../frame.ts';
import { openInterrupts } from './thread-question.ts';
import * as reducer from './thread-reducer.ts';
import type { ThreadState } from './thread-record.ts';
import { openThread, snapshotThread, threadStatus } from './thread-state.ts';

const questionOf = (id: string): Uint8Array => toBytes(`[{"id":"${id}","value":1}]`);

/** A run that asks at its checkpoint. */
function ask(state: ThreadState, runUuid: string, checkpointId: string): void {
  const json = questionOf(runUuid);
  const value = { tag: 'json', bytes: json };
  const write = { taskId: 't', taskPath: '', index: -3, channel: '__interrupt__', value, json };
  const ops = [
    save(checkpointId, {}),
    { kind: 'writes' as const, ns: '', checkpointId, writes: [write] },
  ];
  const outcome = result('interrupted', { ops, interrupts: json });
  reducer.finishAttempt(state, started(state, runUuid), outcome, 0);
}

const next = (state: ThreadState): ThreadState =>
  openThread({ kind: 'continued', snapshot: snapshotThread(state) });

const seen = (state: ThreadState): unknown => [
  threadStatus(state),
  openInterrupts(state),
  reducer.checkCreateRun(state, ticket('answer', { isResume: true }))?.code,
];

it('leaves the question at the head, and not the one before it', () => {
  const state = thread();
  ask(state, 'first', '1');
  ask(state, 'second', '2');
  reducer.deleteRun(state, 'second', 3_000);
  const waiting = ['interrupted', questionOf('second'), undefined];
  expect([seen(state), seen(next(state))]).toEqual([waiting, waiting]);
  reducer.deleteRun(state, 'first', 3_000);
  expect(seen(state)).toEqual(waiting);
});

it('opens no question that was answered', () => {
  const state = thread();
  ask(state, 'asks', '1');
  const answered = result('completed', { ops: [save('2', {})] });
  reducer.finishAttempt(state, started(state, 'answers'), answered, 0);
  reducer.deleteRun(state, 'answers', 3_000);
  expect(seen(state)).toEqual(['idle', undefined, 'not_interrupted']);
});

it('leaves a failed thread failed, until another run has ended', () => {
  const state = thread();
  reducer.finishAttempt(state, started(state, 'fails'), result('error'), 0);
  reducer.deleteRun(state, 'fails', 3_000);
  expect(threadStatus(state)).toBe('error');
  const done = result('completed', { ops: [save('1', {})] });
  reducer.finishAttempt(state, started(state, 'works'), done, 0);
  expect(threadStatus(state)).toBe('idle');
});

it('is like a cancel where the run has not stopped yet', () => {
  const state = thread();
  ask(state, 'asks', '1');
  const run = started(state, 'other');
  reducer.applyBatch(state, { runUuid: 'other', attempt: 1, firstSeq: 1, ops: [save('2', {})] });
  reducer.cancelRun(state, 'other', 3_000);
  reducer.deleteRun(state, 'other', 3_000);
  reducer.finishAttempt(state, run, result('cancelled'), 0);
  expect(seen(state)).toEqual(['idle', undefined, 'not_interrupted']);
});

it('keeps its question when an older run that had asked is cancelled', () => {
  const state = thread();
  ask(state, 'first', '1');
  ask(state, 'second', '2');
  reducer.deleteRun(state, 'second', 3_000);
  reducer.cancelRun(state, 'first', 3_000);
  expect(seen(state)).toEqual(['interrupted', questionOf('second'), undefined]);
});
