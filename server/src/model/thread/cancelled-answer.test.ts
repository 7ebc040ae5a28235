// A run that is cancelled before it has changed anything leaves its thread as it was: its status and its question.
import { expect, it } from 'vitest';
import {
  copied,
  result,
  save,
  started,
  thread,
  ticket,
} from '../../../test/fixtures/thread-builder.ts';
import { toBytes } from '../frame.ts';
import type { StoredOp } from '../checkpoint/stored.ts';
import { openInterrupts } from './thread-question.ts';
import * as reducer from './thread-reducer.ts';
import type { ThreadState } from './thread-record.ts';
import { newestRun, openThread, snapshotThread, threadStatus } from './thread-state.ts';

const interrupts = toBytes('[{"id":"i","value":1}]');

function question(channel = '__interrupt__', index = -3): StoredOp<Uint8Array> {
  const value = { tag: 'json', bytes: interrupts };
  const write = { taskId: 't', taskPath: '', index, channel, value, json: interrupts };
  return { kind: 'writes', ns: '', checkpointId: '1', writes: [write] };
}

/** A thread whose run `asks` waits for an answer. */
function interrupted(): ThreadState {
  const state = thread();
  const asked = started(state, 'asks');
  const ops = [save('1', {}), question()];
  reducer.finishAttempt(state, asked, result('interrupted', { ops, interrupts }), 0);
  return state;
}

const answer = ticket('again', { isResume: true });

it('keeps the question of its thread when it is cancelled while it runs', () => {
  const state = interrupted();
  const run = started(state, 'answers');
  reducer.cancelRun(state, 'answers', 3_000);
  reducer.finishAttempt(state, run, result('cancelled', { endedAt: 3_500 }), 0);
  expect([run.status, threadStatus(state), newestRun(state)?.runUuid]).toEqual([
    'cancelled',
    'interrupted',
    'asks',
  ]);
  expect(openInterrupts(state)).toEqual(interrupts);
  expect(reducer.checkCreateRun(state, answer)).toBeUndefined();
  const next = openThread({ kind: 'continued', snapshot: snapshotThread(state) });
  expect(threadStatus(next)).toBe('interrupted');
});

it('keeps it when it is cancelled while it waits for its turn', () => {
  const state = interrupted();
  reducer.createRun(state, ticket('answers', { isResume: true }));
  reducer.cancelRun(state, 'answers', 3_000);
  expect([threadStatus(state), openInterrupts(state)]).toEqual(['interrupted', interrupts]);
});

it('keeps the question of a copy', () => {
  const { store } = snapshotThread(interrupted());
  const state = copied({ store, questions: interrupts });
  const run = started(state, 'answers');
  reducer.stopRun(state, run, 3_000);
  expect([openInterrupts(state), threadStatus(state)]).toEqual([interrupts, 'idle']);
  expect(reducer.checkCreateRun(state, answer)).toBeUndefined();
});

it('is the newest run of a thread that had no other', () => {
  const state = thread();
  const run = started(state, 'only');
  reducer.stopRun(state, run, 3_000);
  expect([newestRun(state)?.runUuid, threadStatus(state)]).toEqual(['only', 'idle']);
});

it('may be answered again where the answer was taken and its run cancelled then', () => {
  const state = interrupted();
  const run = started(state, 'answers');
  const ops = [question('__resume__', -4)];
  reducer.finishAttempt(state, run, result('cancelled', { ops }), 0);
  expect(threadStatus(state)).toBe('idle');
  expect(reducer.checkCreateRun(state, answer)).toBeUndefined();
});

it('is no longer asked when the run that asked is cancelled', () => {
  const state = interrupted();
  reducer.cancelRun(state, 'asks', 3_000);
  expect(reducer.checkCreateRun(state, answer)?.code).toBe('not_interrupted');
});

it('is still asked when only an active run is cancelled', () => {
  const state = interrupted();
  reducer.cancelRun(state, 'asks', 3_000, { isActiveOnly: true });
  expect(state.runs.get('asks')?.status).toBe('interrupted');
  expect(reducer.checkCreateRun(state, answer)).toBeUndefined();
});

it('has no output any more when it had asked', () => {
  const state = interrupted();
  const asked = state.runs.get('asks');
  if (asked) asked.output = interrupts;
  reducer.cancelRun(state, 'asks', 3_000);
  expect(asked).toMatchObject({ status: 'cancelled' });
  expect(asked).not.toHaveProperty('output');
});

it('takes its question along, also when an answer had failed before', () => {
  const state = interrupted();
  const run = started(state, 'answers');
  reducer.finishAttempt(state, run, result('error', { ops: [question('__resume__', -4)] }), 0);
  expect(reducer.checkCreateRun(state, answer)).toBeUndefined();
  reducer.cancelRun(state, 'asks', 3_000);
  expect(reducer.checkCreateRun(state, answer)?.code).toBe('not_interrupted');
});

it('takes the question along that it asks while it is being cancelled', () => {
  const state = thread();
  const run = started(state, 'asks');
  reducer.cancelRun(state, 'asks', 3_000);
  const ops = [save('1', {}), question()];
  reducer.finishAttempt(state, run, result('interrupted', { ops, interrupts }), 0);
  expect([run.status, openInterrupts(state)]).toEqual(['cancelled', undefined]);
  expect(reducer.checkCreateRun(state, answer)?.code).toBe('not_interrupted');
});

it('leaves the question of a later run alone', () => {
  const state = interrupted();
  const run = started(state, 'asks again');
  const ops = [save('2', {}), question()];
  reducer.finishAttempt(state, run, result('interrupted', { ops, interrupts }), 0);
  reducer.cancelRun(state, 'asks', 3_000);
  expect(openInterrupts(state)).toEqual(interrupts);
});
