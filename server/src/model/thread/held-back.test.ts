// Runs that wait for their time (`after_seconds`): what goes before them, and what the thread is meanwhile.
import { expect, it } from 'vitest';
import { result, save, thread, ticket } from '../../../test/fixtures/thread-builder.ts';
import { toBytes } from '../frame.ts';
import { isRunDue, nextBegin } from '../run/run-queue.ts';
import * as reducer from './thread-reducer.ts';
import { openInterrupts } from './thread-question.ts';
import { reportRun, reportRuns } from './thread-read.ts';
import type { StoredRun } from '../run/run-record.ts';
import type { ThreadState } from './thread-record.ts';
import { newestRun, openThread, snapshotThread, threadStatus } from './thread-state.ts';
import type { AttemptResult } from './thread-wire.ts';

function create(state: ThreadState, runUuid: string, createdAt: number, notBefore?: number): void {
  const wanted = { createdAt, ...(notBefore !== undefined && { notBefore }) };
  reducer.createRun(state, ticket(runUuid, wanted));
}

/** Begins the next run, which has to be due. */
function begin(state: ThreadState, now: number): StoredRun {
  expect(isRunDue(state, now)).toBe(true);
  const run = reducer.activateNextRun(state);
  if (!run) throw new Error('nothing to activate');
  reducer.beginAttempt(run);
  return run;
}

function finish(state: ThreadState, run: StoredRun, outcome: AttemptResult['outcome']): void {
  reducer.finishAttempt(state, run, result(outcome), 0);
}

it('lets those go first that are due before it, and is due itself when its time comes', () => {
  const state = thread();
  create(state, 'late', 1_000, 9_000);
  create(state, 'soon', 1_000, 5_000);
  create(state, 'before', 2_000);
  create(state, 'after', 6_000);
  expect(state.queue).toEqual(['before', 'soon', 'after', 'late']);
  finish(state, begin(state, 2_000), 'completed');
  expect([isRunDue(state, 4_999), nextBegin(state)]).toEqual([false, 5_000]);
  finish(state, begin(state, 5_000), 'completed');
  finish(state, begin(state, 6_000), 'completed');
  expect([isRunDue(state, 8_999), isRunDue(state, 9_000)]).toEqual([false, true]);
});

it('leaves its thread as it is until it begins: an answer is taken', () => {
  const state = thread();
  create(state, 'asks', 1_000);
  finish(state, begin(state, 1_000), 'interrupted');
  create(state, 'held', 2_000, 9_000);
  expect([threadStatus(state), newestRun(state)?.status]).toEqual(['interrupted', 'interrupted']);
  const answer = ticket('answers', { createdAt: 3_000, isResume: true });
  expect(reducer.checkCreateRun(state, answer)).toBeUndefined();
  expect(reducer.checkCreateRun(state, ticket('rejects', { multitask: 'reject' }))).toBeUndefined();
  reducer.createRun(state, answer);
  expect([threadStatus(state), state.queue]).toEqual(['busy', ['answers', 'held']]);
});

it('reports that it waits, also when nothing is before it', () => {
  const state = thread();
  create(state, 'held', 1_000, 9_000);
  const held = state.runs.get('held');
  const position = (): unknown => held && reportRun(state, held).queuePosition;
  expect([threadStatus(state), newestRun(state)?.status, position()]).toEqual([
    'idle',
    'running',
    1,
  ]);
  create(state, 'before', 2_000);
  expect(position()).toBe(2);
  begin(state, 2_000);
  expect(position()).toBe(1);
});

it('is the newest run once it has begun, and the run that begins after it is the next one', () => {
  const state = thread();
  create(state, 'held', 1_000, 5_000);
  create(state, 'before', 2_000);
  const before = begin(state, 2_000);
  create(state, 'after', 6_000);
  finish(state, before, 'completed');
  finish(state, begin(state, 6_000), 'interrupted');
  expect(newestRun(state)?.runUuid).toBe('held');
  const after = begin(state, 6_000);
  expect(newestRun(state)?.runUuid).toBe('after');
  finish(state, after, 'error');
  expect(threadStatus(state)).toBe('error');
  const listed = reportRuns(state, { limit: 10, offset: 0 }).runs.map(({ runUuid }) => runUuid);
  expect(listed).toEqual(['after', 'held', 'before']);
});

it('is cancelled at once, and leaves the others as they were', () => {
  const state = thread();
  create(state, 'asks', 1_000);
  finish(state, begin(state, 1_000), 'interrupted');
  create(state, 'held', 2_000, 9_000);
  reducer.cancelRun(state, 'held', 3_000);
  expect([state.runs.get('held')?.status, state.queue]).toEqual(['cancelled', []]);
  const next = openThread({ kind: 'continued', snapshot: snapshotThread(state) });
  expect([threadStatus(state), threadStatus(next)]).toEqual(['interrupted', 'interrupted']);
});

it('takes no question along when it is cancelled', () => {
  const state = thread();
  create(state, 'asks', 1_000);
  finish(state, begin(state, 1_000), 'interrupted');
  state.questions = toBytes('[{"id":"edited"}]');
  create(state, 'held', 2_000, 9_000);
  reducer.cancelRun(state, 'held', 3_000);
  expect(openInterrupts(state)).toEqual(toBytes('[{"id":"edited"}]'));
});

it('hides no question of a copy, waiting or cancelled', () => {
  const state = thread();
  state.questions = toBytes('[{"id":"q"}]');
  create(state, 'held', 2_000, 9_000);
  expect(openInterrupts(state)).toEqual(state.questions);
  reducer.cancelRun(state, 'held', 3_000);
  expect(openInterrupts(state)).toEqual(toBytes('[{"id":"q"}]'));
});

it.each([
  ['interrupt', ['held', 'next']],
  ['rollback', ['next']],
] as const)('%s is about it, too', (multitask, left) => {
  const state = thread();
  create(state, 'held', 1_000, 9_000);
  const next = ticket('next', { multitask, createdAt: 2_000, notBefore: 8_000 });
  expect(reducer.applyMultitaskStrategy(state, next)).toEqual(['held']);
  reducer.createRun(state, next);
  expect([[...state.runs.keys()], state.queue]).toEqual([left, ['next']]);
});

it('waits on in the next execution', () => {
  const before = thread();
  create(before, 'done', 1_000);
  const done = begin(before, 1_000);
  const ops = [save('1', { a: '1' })];
  reducer.finishAttempt(before, done, result('completed', { ops, output: toBytes('{}') }), 0);
  create(before, 'held', 2_000, 9_000);
  const state = openThread({ kind: 'continued', snapshot: snapshotThread(before) });
  expect([nextBegin(state), newestRun(state)?.runUuid]).toEqual([9_000, 'done']);
  expect(begin(state, 9_000).base).toBe('1');
});
