// A run that is cancelled before it has changed anything leaves its thread as it was: its status and its question.
import { expect, it } from 'vitest';
import { result, save, started, thread, ticket } from '../../test/fixtures/thread-builder.ts';
import { toBytes } from './frame.ts';
import type { StoredOp } from './stored.ts';
import { openInterrupts } from './thread-questions.ts';
import * as reducer from './thread-reducer.ts';
import {
  newestRun,
  openThread,
  snapshotThread,
  threadStatus,
  type ThreadState,
} from './thread-state.ts';

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
  const carried = { store, questions: interrupts };
  const state = openThread({
    kind: 'new',
    threadId: 'copy',
    isEphemeral: false,
    createdAt: 1,
    metadata: {},
    settings: { maxCheckpointHistory: 1, maxRunHistory: 10, maxCheckpointBytes: 0 },
    carried,
  });
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
