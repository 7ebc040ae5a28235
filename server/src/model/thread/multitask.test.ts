import { describe, expect, it } from 'vitest';
import * as build from '../../../test/fixtures/thread-builder.ts';
import { findCheckpoint, listCheckpoints } from '../checkpoint/checkpoint-store.ts';
import * as reducer from './thread-reducer.ts';
import type { RunTicket, StoredRun } from '../run/run-record.ts';
import type { ThreadState } from './thread-record.ts';
import { openThread, snapshotThread, threadStatus } from './thread-state.ts';
import type { StoredOp } from '../checkpoint/stored.ts';

/** A thread on which one run has completed with checkpoint a1 and another is active with b1. */
function busy(): { state: ThreadState; active: StoredRun } {
  const state = build.thread();
  const done = build.started(state, 'done');
  reducer.finishAttempt(
    state,
    done,
    build.result('completed', { ops: [build.save('a1', { c: '1' })] }),
    0,
  );
  const active = build.started(state, 'active');
  save_(state, active, build.save('b1', { c: '2' }, { parentId: 'a1' }));
  return { state, active };
}

function save_(state: ThreadState, run: StoredRun, ...ops: StoredOp<Uint8Array>[]): void {
  const firstSeq = run.seq + 1;
  reducer.applyBatch(state, { runUuid: run.runUuid, attempt: run.attempt, firstSeq, ops });
}

/** What the workflow does with a ticket; returns the refusal, or which runs were asked to stop. */
function create(state: ThreadState, next: RunTicket): string | string[] {
  const refusal = reducer.checkCreateRun(state, next);
  if (refusal) return refusal.code;
  const replaced = reducer.applyMultitaskStrategy(state, next);
  reducer.createRun(state, next);
  return replaced;
}

const statuses = ({ runs }: ThreadState): Record<string, string> =>
  Object.fromEntries([...runs.values()].map((run) => [run.runUuid, run.status]));

describe('a second run while one is active and one is queued', () => {
  it.each([
    {
      multitask: undefined,
      answer: [],
      before: { done: 'completed', active: 'running', queued: 'running', next: 'running' },
      queue: ['queued', 'next'],
    },
    {
      multitask: 'reject' as const,
      answer: 'thread_busy',
      before: { done: 'completed', active: 'running', queued: 'running' },
      queue: ['queued'],
    },
    {
      multitask: 'interrupt' as const,
      answer: ['active', 'queued'],
      before: { done: 'completed', active: 'cancelling', queued: 'cancelled', next: 'running' },
      queue: ['next'],
    },
    {
      multitask: 'rollback' as const,
      answer: ['active', 'queued'],
      before: { done: 'completed', active: 'cancelling', next: 'running' },
      queue: ['next'],
    },
  ])('$multitask', ({ multitask, answer, before, queue }) => {
    const { state } = busy();
    reducer.createRun(state, build.ticket('queued'));
    expect(create(state, build.ticket('next', multitask && { multitask }))).toEqual(answer);
    expect(statuses(state)).toEqual(before);
    expect(state.queue).toEqual(queue);
  });

  it.each(['reject', 'interrupt', 'rollback'] as const)('%s takes an idle thread', (multitask) => {
    const state = build.thread();
    expect(create(state, build.ticket('next', { multitask }))).toEqual([]);
    expect(statuses(state)).toEqual({ next: 'running' });
  });
});

describe('interrupt', () => {
  it('keeps the checkpoints of the run that it stops', () => {
    const { state, active } = busy();
    create(state, build.ticket('next', { multitask: 'interrupt' }));
    reducer.finishAttempt(state, active, build.result('cancelled'), 0);
    expect(statuses(state)).toEqual({ done: 'completed', active: 'cancelled', next: 'running' });
    expect(findCheckpoint(state.store, '')?.id).toBe('b1');
  });
});

describe('rollback', () => {
  const rolledBack = (outcome: 'cancelled' | 'completed' | 'error'): ThreadState => {
    const { state, active } = busy();
    create(state, build.ticket('next', { multitask: 'rollback' }));
    const ops = [
      build.save('b2', { c: '3' }, { parentId: 'b1' }),
      build.save('x', { c: '1' }, { ns: 'n' }),
    ];
    reducer.finishAttempt(state, active, build.result(outcome, { ops, firstSeq: 2 }), 0);
    return state;
  };

  it.each(['cancelled', 'completed', 'error'] as const)(
    'removes the run with all its checkpoints however it ends (%s)',
    (outcome) => {
      const state = rolledBack(outcome);
      expect(statuses(state)).toEqual({ done: 'completed', next: 'running' });
      expect([...listCheckpoints(state.store)].map(({ id }) => id)).toEqual(['a1']);
      expect([state.active, threadStatus(state)]).toEqual([undefined, 'busy']);
    },
  );

  it('is what a cancel can ask for, too: of the active run, and at once of a queued one', () => {
    const { state, active } = busy();
    reducer.createRun(state, build.ticket('queued'));
    for (const runUuid of ['queued', 'active', 'done']) {
      reducer.cancelRun(state, runUuid, 2_000, { isRollback: true });
    }
    expect(statuses(state)).toEqual({ done: 'completed', active: 'cancelling' });
    reducer.finishAttempt(state, active, build.result('cancelled'), 0);
    expect(statuses(state)).toEqual({ done: 'completed' });
    expect([...listCheckpoints(state.store)].map(({ id }) => id)).toEqual(['a1']);
    expect(threadStatus(state)).toBe('idle');
  });

  it('leaves a thread empty when nothing was before', () => {
    const state = build.thread();
    const active = build.started(state, 'active');
    save_(state, active, build.save('b1', { c: '2' }));
    create(state, build.ticket('next', { multitask: 'rollback' }));
    reducer.stopRun(state, active, 3_000);
    expect([...listCheckpoints(state.store)]).toEqual([]);
    expect(state.store.bytes).toBe(0);
  });

  it('takes back the answer that the run gave, so that the question waits again', () => {
    const state = build.thread();
    const asking = build.started(state, 'asking');
    const asked = [build.save('a1', { c: '1' }), build.write('a1', 0, 'asked')];
    reducer.finishAttempt(state, asking, build.result('interrupted', { ops: asked }), 0);
    const answering = build.started(state, 'answering');
    save_(
      state,
      answering,
      build.write('a1', 1, 'answer'),
      build.save('b1', { c: '2' }, { parentId: 'a1' }),
    );
    expect(findCheckpoint(state.store, '', 'a1')?.writes).toHaveLength(2);
    create(state, build.ticket('next', { multitask: 'rollback' }));
    const moved = openThread({ kind: 'continued', snapshot: snapshotThread(state) });
    reducer.stopRun(moved, moved.runs.get('answering') ?? answering, 3_000);
    const head = findCheckpoint(moved.store, '');
    expect([head?.id, head?.writes.map(({ index }) => index)]).toEqual(['a1', [0]]);
  });

  it('keeps the checkpoints of the run where those before it are no longer there', () => {
    const { state, active } = busy();
    reducer.deleteRun(state, 'done', 2_500);
    create(state, build.ticket('next', { multitask: 'rollback' }));
    reducer.stopRun(state, active, 3_000);
    expect(statuses(state)).toEqual({ next: 'running' });
    expect(findCheckpoint(state.store, '')?.id).toBe('b1');
  });

  it('happens also when the run is deleted before it has stopped', () => {
    const { state, active } = busy();
    create(state, build.ticket('next', { multitask: 'rollback' }));
    reducer.deleteRun(state, 'active', 2_500);
    reducer.finishAttempt(state, active, build.result('cancelled'), 0);
    expect(findCheckpoint(state.store, '')?.id).toBe('a1');
  });

  it('notifies hosts that remember the head', () => {
    const { state, active } = busy();
    const { revision } = state;
    create(state, build.ticket('next', { multitask: 'rollback' }));
    reducer.stopRun(state, active, 3_000);
    expect(state.revision).toBeGreaterThan(revision);
  });
});
