import { expect, it } from 'vitest';
import {
  result,
  save,
  started,
  thread,
  ticket,
  write,
} from '../../../test/fixtures/thread-builder.ts';
import { listCheckpoints } from '../checkpoint/checkpoint-store.ts';
import { toBytes } from '../frame.ts';
import * as reducer from './thread-reducer.ts';
import { openInterrupts } from './thread-question.ts';
import { snapshotThread, threadStatus, openThread } from './thread-state.ts';

it('takes a run to completion with the tail of its checkpoints', () => {
  const state = thread();
  const run = started(state, 'r1');
  expect(threadStatus(state)).toBe('busy');
  const end = result('completed', { ops: [save('1', { a: '1' })], output: toBytes('{}') });
  expect(reducer.finishAttempt(state, run, end, 0)).toEqual({ kind: 'settled' });
  expect([run.status, run.updatedAt, run.request, threadStatus(state), state.revision]).toEqual([
    'completed',
    2_000,
    undefined,
    'idle',
    1,
  ]);
});

it('keeps the order of queued runs', () => {
  const state = thread();
  for (const id of ['r1', 'r2', 'r3']) reducer.createRun(state, ticket(id));
  const order = [1, 2, 3].map(() => {
    const run = reducer.activateNextRun(state);
    if (run) reducer.finishAttempt(state, run, result('completed'), 0);
    return run?.runUuid;
  });
  expect(order).toEqual(['r1', 'r2', 'r3']);
});

it('creates a run once, however often it is asked to', () => {
  const state = thread();
  reducer.createRun(state, ticket('r1'));
  reducer.createRun(state, ticket('r1'));
  expect([state.runs.size, state.queue]).toEqual([1, ['r1']]);
});

it('restarts lost attempts with growing pauses until the budget is used up', () => {
  const state = thread();
  const run = started(state, 'r1');
  const pauses: unknown[] = [];
  for (const outcome of ['crash', 'infra', 'crash', 'crash'] as const) {
    pauses.push(reducer.finishAttempt(state, run, result(outcome), 0.999_999));
    if (run.status === 'running') reducer.beginAttempt(run);
  }
  expect(pauses).toEqual([
    { kind: 'retry', afterMs: 1_000 },
    { kind: 'retry', afterMs: 2_000 },
    { kind: 'retry', afterMs: 4_000 },
    { kind: 'settled' },
  ]);
  expect([run.status, run.attempt, run.lastFailure, run.error?.code]).toEqual([
    'error',
    4,
    'CRASH',
    'restarts_exhausted',
  ]);
});

it('remembers that an attempt cost its guest, so that the next ones get a guest of their own', () => {
  const stuck = { ...result('infra'), wasStuck: true as const };
  const remembered = [result('infra'), stuck, result('crash')].map((ended) => {
    const state = thread();
    const run = started(state, 'r1');
    reducer.finishAttempt(state, run, ended, 0);
    return run.hasCrashed;
  });
  expect(remembered).toEqual([undefined, true, true]);
});

it('does not count an attempt that a stopping host put off', () => {
  const state = thread();
  const run = started(state, 'r1');
  expect(reducer.finishAttempt(state, run, result('deferred'), 0)).toEqual({
    kind: 'retry',
    afterMs: 1_000,
  });
  reducer.beginAttempt(run);
  expect([run.attempt, run.lastFailure]).toEqual([1, undefined]);
});

it('refuses writes of an attempt that is no longer the one that runs', () => {
  const state = thread();
  const run = started(state, 'r1');
  const batch = { runUuid: 'r1', attempt: 1, firstSeq: 1, ops: [save('1', {})] };
  expect(reducer.checkBatch(state, batch)).toBeUndefined();
  reducer.finishAttempt(state, run, result('crash'), 0);
  reducer.beginAttempt(run);
  expect(reducer.checkBatch(state, batch)?.code).toBe('run_fenced');
});

it('applies a batch once, also when it comes twice', () => {
  const state = thread({ maxCheckpointHistory: 9 });
  started(state, 'r1');
  const ops = [save('1', { a: '1' }), save('2', { a: '2' })];
  reducer.applyBatch(state, { runUuid: 'r1', attempt: 1, firstSeq: 1, ops });
  reducer.applyBatch(state, { runUuid: 'r1', attempt: 1, firstSeq: 2, ops: ops.slice(1) });
  expect([[...listCheckpoints(state.store)].length, state.revision]).toEqual([2, 2]);
});

it('cancels a queued run at once and an active one when it has stopped', () => {
  const state = thread();
  const active = started(state, 'r1');
  reducer.createRun(state, ticket('r2'));
  reducer.cancelRun(state, 'r2', 3_000);
  reducer.cancelRun(state, 'r1', 3_000);
  expect([active.status, state.runs.get('r2')?.status]).toEqual(['cancelling', 'cancelled']);
  reducer.finishAttempt(state, active, result('cancelled', { endedAt: 3_500 }), 0);
  reducer.cancelRun(state, 'r1', 4_000);
  expect([active.status, active.updatedAt, threadStatus(state)]).toEqual([
    'cancelled',
    3_500,
    'idle',
  ]);
});

it('deletes a run that is being cancelled, and takes no late result of it', () => {
  const state = thread();
  const run = started(state, 'r1');
  expect(reducer.checkDeleteRun(state, 'r1')?.code).toBe('run_active');
  reducer.cancelRun(state, 'r1', 3_000);
  expect(reducer.checkDeleteRun(state, 'r1')).toBeUndefined();
  reducer.deleteRun(state, 'r1', 3_000);
  const late = result('completed', { ops: [save('1', {})] });
  expect(reducer.finishAttempt(state, run, late, 0)).toEqual({ kind: 'settled' });
  expect([state.runs.size, [...listCheckpoints(state.store)]]).toEqual([0, []]);
});

it("keeps the thread's head when its run is deleted", () => {
  const state = thread({ maxCheckpointHistory: 9 });
  const run = started(state, 'r1');
  const ops = [save('1', {}), save('2', {}, { ns: 'child:task' }), save('3', {})];
  reducer.finishAttempt(state, run, result('completed', { ops }), 0);
  reducer.deleteRun(state, 'r1', 3_000);
  expect([...listCheckpoints(state.store)].map(({ id }) => id)).toEqual(['3']);
});

it('takes an answer to an interrupt only when one waits', () => {
  const state = thread();
  const resume = ticket('r2', { isResume: true });
  expect(reducer.checkCreateRun(state, resume)?.code).toBe('not_interrupted');
  const run = started(state, 'r1');
  const interrupts = toBytes('[{"id":"i","value":1}]');
  reducer.finishAttempt(state, run, result('interrupted', { interrupts }), 0);
  expect([threadStatus(state), openInterrupts(state)]).toEqual(['interrupted', interrupts]);
  expect(reducer.checkCreateRun(state, resume)).toBeUndefined();
});

it('takes another answer when the one before was no good', () => {
  const state = thread();
  const asked = started(state, 'r1');
  const question = write('1');
  if (question.kind === 'writes' && question.writes[0])
    question.writes[0].channel = '__interrupt__';
  const interrupts = toBytes('[{"id":"i","value":1}]');
  const ops = [save('1', {}), question];
  reducer.finishAttempt(state, asked, result('interrupted', { ops, interrupts }), 0);
  const wrong = started(state, 'r2');
  reducer.finishAttempt(state, wrong, result('error'), 0);
  expect(reducer.checkCreateRun(state, ticket('r3', { isResume: true }))).toBeUndefined();
  const right = started(state, 'r3');
  reducer.finishAttempt(state, right, result('completed', { ops: [save('2', {})] }), 0);
  expect(reducer.checkCreateRun(state, ticket('r4', { isResume: true }))?.code).toBe(
    'not_interrupted',
  );
});

it('forgets the oldest settled runs beyond the history limit, with their checkpoints', () => {
  const state = thread({ maxRunHistory: 2 });
  for (const id of ['1', '2', '3']) {
    const run = started(state, `r${id}`);
    reducer.finishAttempt(state, run, result('completed', { ops: [save(id, { a: id })] }), 0);
  }
  expect([...state.runs.keys()]).toEqual(['r2', 'r3']);
  expect([...listCheckpoints(state.store)].map(({ id }) => id)).toEqual(['3', '2']);
});

it('knows whether a run has its own checkpoint', () => {
  const state = thread();
  started(state, 'r1');
  expect(reducer.hasOwnCheckpoint(state, 'r1')).toBe(false);
  reducer.applyBatch(state, { runUuid: 'r1', attempt: 1, firstSeq: 1, ops: [save('1', {})] });
  expect(reducer.hasOwnCheckpoint(state, 'r1')).toBe(true);
});

it('continues in another execution as the same thread', () => {
  const state = thread();
  const run = started(state, 'r1');
  reducer.finishAttempt(state, run, result('completed', { ops: [save('1', { a: '1' })] }), 0);
  reducer.createRun(state, ticket('r2'));
  expect(openThread({ kind: 'continued', snapshot: snapshotThread(state) })).toEqual(state);
});
