import { expect, it } from 'vitest';
import {
  copied,
  result,
  save,
  thread,
  ticket,
  write,
} from '../../../test/fixtures/thread-builder.ts';
import { listCheckpoints } from './checkpoint-store.ts';
import { toBytes } from '../frame.ts';
import { checkStateCommit, commitState } from './state-commit.ts';
import { reportThread } from '../thread/thread-read.ts';
import {
  activateNextRun,
  beginAttempt,
  checkCreateRun,
  createRun,
  finishAttempt,
  stopThread,
} from '../thread/thread-reducer.ts';
import { OUTSIDE_RUNS, type ThreadState } from '../thread/thread-record.ts';
import { snapshotThread } from '../thread/thread-state.ts';
import type { AttemptResult, StateCommit } from '../thread/thread-wire.ts';

const NONE = toBytes('[]');

function commit(id: string, expectedRevision: number): StateCommit {
  const ops = [save(id, { a: id })];
  return { expectedRevision, ops, questions: NONE, agentId: 'agent', now: 9_000 };
}

function run(state: ThreadState, runUuid: string, ended?: Partial<AttemptResult>): void {
  createRun(state, ticket(runUuid));
  const active = activateNextRun(state);
  if (!active) throw new Error('nothing runs');
  beginAttempt(active);
  if (ended) finishAttempt(state, active, result('completed', ended), 0);
}

const ids = (state: ThreadState): string[] =>
  [...listCheckpoints(state.store, '')].map(({ id }) => id);

it('is made once, and counts as a change of the checkpoints', () => {
  const state = thread();
  run(state, 'r', { ops: [save('1', { a: '1' })] });
  const change = commit('2', state.revision);
  expect(checkStateCommit(state, change)).toBeUndefined();
  commitState(state, change);
  const { revision } = state;
  expect(checkStateCommit(state, change)).toBeUndefined();
  commitState(state, change);
  expect([ids(state), state.revision - revision, state.updatedAt]).toEqual([['2', '1'], 0, 9_000]);
});

it('is made once, also when it comes again after another one has taken its checkpoint away', () => {
  const state = thread();
  const first = commit('1', state.revision);
  commitState(state, first);
  commitState(state, commit('2', state.revision));
  expect(checkStateCommit(state, first)).toBeUndefined();
  commitState(state, first);
  expect(ids(state)).toEqual(['2']);
});

it('is refused when the state is another one by now', () => {
  const state = thread();
  const change = commit('2', state.revision);
  commitState(state, commit('1', state.revision));
  expect(checkStateCommit(state, change)).toMatchObject({ code: 'thread_busy' });
});

it('is refused while a run is active or queued, and on a thread that was stopped', () => {
  const state = thread();
  createRun(state, ticket('r'));
  expect(checkStateCommit(state, commit('1', 0))).toMatchObject({ code: 'thread_busy' });
  activateNextRun(state);
  expect(checkStateCommit(state, commit('1', 0))).toMatchObject({ code: 'thread_busy' });
  const stopped = thread();
  stopThread(stopped, 1);
  expect(checkStateCommit(stopped, commit('1', 0))).toMatchObject({ code: 'thread_stopped' });
});

it('is retained together with all other changes', () => {
  const state = thread({ maxCheckpointHistory: 2 });
  run(state, 'r', { ops: [save('1', { a: '1' })] });
  for (const id of ['2', '3', '4']) commitState(state, commit(id, state.revision));
  expect(ids(state)).toEqual(['4', '3', '1']);
});

it('leaves an interrupted thread interrupted, with the question as it is now', () => {
  const state = thread();
  run(state, 'r', { outcome: 'interrupted', interrupts: toBytes('[{"id":"old"}]') });
  commitState(state, {
    ...commit('2', state.revision),
    questions: toBytes('[{"id":"new"}]'),
  });
  const { status, interrupts } = reportThread(state);
  expect([status, interrupts]).toEqual(['interrupted', toBytes('[{"id":"new"}]')]);
  run(state, 'answer', {});
  expect(reportThread(state)).not.toHaveProperty('interrupts');
});

it.each([
  ['interrupted', 'interrupted', 'completed', 'idle'],
  ['completed', 'idle', 'interrupted', 'interrupted'],
  ['error', 'error', 'completed', 'idle'],
] as const)('makes a thread whose run was %s what it says', (outcome, before, status, after) => {
  const state = thread();
  const interrupts = toBytes('[{"id":"old"}]');
  run(state, 'r', { outcome, ...(outcome === 'interrupted' && { interrupts }) });
  expect(reportThread(state).status).toBe(before);
  commitState(state, { ...commit('2', state.revision), status });
  expect(reportThread(state)).toMatchObject({ status: after });
  expect(reportThread(state)).not.toHaveProperty('error');
  run(state, 'next', {});
  expect(reportThread(state).status).toBe('idle');
});

it('opens a copy with its checkpoint, its agent and its question, idle', () => {
  const source = thread();
  run(source, 'r', { ops: [save('1', { a: '1' })], outcome: 'interrupted' });
  const { store } = snapshotThread(source);
  const [checkpoint] = store.checkpoints;
  if (!checkpoint) throw new Error('no checkpoint');
  const question = write('1');
  if (question.kind !== 'writes') throw new Error('no writes');
  const writes = question.writes.map((one) => ({ ...one, channel: '__interrupt__' }));
  const copy = copied({
    store: { ...store, checkpoints: [{ ...checkpoint, run: OUTSIDE_RUNS, writes }] },
    agentId: 'agent',
    questions: toBytes('[{"id":"q"}]'),
  });
  expect(reportThread(copy)).toMatchObject({
    status: 'idle',
    agentId: 'agent',
    headId: '1',
    revision: 1,
    interrupts: toBytes('[{"id":"q"}]'),
  });
  const resume = ticket('answer', { isResume: true });
  expect(checkCreateRun(copy, resume)).toBeUndefined();
  run(copy, 'answer', {});
  const again = ticket('again', { isResume: true });
  expect(checkCreateRun(copy, again)).toMatchObject({ code: 'not_interrupted' });
});
