import { describe, expect, it } from 'vitest';
import * as build from '../../../test/fixtures/thread-builder.ts';
import { findCheckpoint, listCheckpoints } from '../checkpoint/checkpoint-store.ts';
import { packFrame, unpackFrame } from '../frame.ts';
import * as reducer from './thread-reducer.ts';
import type { StoredRun } from '../run/run-record.ts';
import type { ThreadState } from './thread-record.ts';
import { reportThread } from './thread-read.ts';
import { openThread, snapshotThread } from './thread-state.ts';
import type { CheckpointBatch, ThreadStart } from './thread-wire.ts';

/** The thread as its next execution has it. */
function nextExecution(state: ThreadState): ThreadState {
  const frame = packFrame({ kind: 'continued', snapshot: snapshotThread(state) });
  return openThread(unpackFrame<ThreadStart>(frame));
}

function activeRun(state: ThreadState): StoredRun {
  const run = state.runs.get(state.active ?? '');
  if (!run) throw new Error('no run is active');
  return run;
}

describe('a change of executions with a run active', () => {
  const batch = (attempt: number, firstSeq: number, ...ids: string[]): CheckpointBatch => {
    return { runUuid: 'r1', attempt, firstSeq, ops: ids.map((id) => build.save(id, {})) };
  };

  it('counts an attempt, takes what the guest has under way, and takes it once', () => {
    const before = build.thread({ maxCheckpointHistory: 9 });
    build.started(before, 'r1');
    reducer.applyBatch(before, batch(1, 1, '1', '2'));
    const state = nextExecution(before);
    // An Update may come before the run's next attempt has begun.
    expect(reducer.checkBatch(state, batch(1, 2, '2', '3'))).toBeUndefined();
    reducer.continueAttempt(activeRun(state), 3_000);
    const run = activeRun(state);
    expect([run.attempt, run.lastFailure, reducer.fenceOf(run)]).toEqual([2, 'CAN', 1]);
    reducer.applyBatch(state, batch(1, 2, '2', '3'));
    expect([...listCheckpoints(state.store)].map(({ id }) => id)).toEqual(['3', '2', '1']);
    expect(reducer.checkBatch(state, batch(2, 1, '4'))?.code).toBe('run_fenced');
    const end = build.result('completed', { firstSeq: 4, ops: [build.save('4', {})] });
    expect(reducer.finishAttempt(state, run, end, 0)).toEqual({ kind: 'settled' });
    expect([run.status, state.store.namespaces.get('')?.checkpoints.length]).toEqual([
      'completed',
      4,
    ]);
  });

  it('begins the attempt anew, behind a new fence, where the guest did not outlive it', () => {
    const before = build.thread();
    build.started(before, 'r1');
    reducer.applyBatch(before, batch(1, 1, '1'));
    const state = nextExecution(before);
    const run = activeRun(state);
    reducer.continueAttempt(run, 3_000);
    expect(reducer.finishAttempt(state, run, build.result('detached'), 0)).toEqual({
      kind: 'again',
    });
    reducer.beginAttempt(run);
    expect([run.attempt, run.lastFailure, run.seq]).toEqual([2, 'CAN', 0]);
    expect(reducer.checkBatch(state, batch(1, 2, '2'))?.code).toBe('run_fenced');
    expect(reducer.checkBatch(state, batch(2, 1, '2'))).toBeUndefined();
  });

  it('uses up no restart', () => {
    let state = build.thread();
    build.started(state, 'r1');
    const attempts: unknown[] = [];
    for (const outcome of ['crash', 'crash', 'crash', 'crash'] as const) {
      state = nextExecution(state);
      reducer.continueAttempt(activeRun(state), 3_000);
      const run = activeRun(state);
      const after = reducer.finishAttempt(state, run, build.result(outcome), 0.999_999);
      attempts.push([run.attempt, after.kind === 'retry' ? after.afterMs : after.kind]);
      if (after.kind === 'retry') reducer.beginAttempt(run);
    }
    expect(attempts).toEqual([
      [2, 1_000],
      [4, 2_000],
      [6, 4_000],
      [8, 'settled'],
    ]);
    const run = state.runs.get('r1');
    expect([run?.status, run?.error?.message]).toEqual([
      'error',
      'The attempt was lost. All 3 restarts are used up.',
    ]);
  });

  it('cancels a run whose cancel came between two executions', () => {
    const before = build.thread();
    build.started(before, 'r1');
    const state = nextExecution(before);
    reducer.cancelRun(state, 'r1', 3_000);
    const run = activeRun(state);
    reducer.continueAttempt(run, 3_000);
    expect(reducer.finishAttempt(state, run, build.result('detached'), 0)).toEqual({
      kind: 'settled',
    });
    expect(run.status).toBe('cancelled');
  });

  it('keeps runs that wait in their order, and the time of the next attempt', () => {
    const before = build.thread();
    const run = build.started(before, 'r1');
    reducer.finishAttempt(before, run, build.result('infra'), 0);
    run.retryAt = 9_000;
    for (const id of ['r2', 'r3']) reducer.createRun(before, build.ticket(id));
    const state = nextExecution(before);
    expect([activeRun(state).retryAt, activeRun(state).attempt, state.queue]).toEqual([
      9_000,
      1,
      ['r2', 'r3'],
    ]);
  });

  it('keeps writes that came before their checkpoint', () => {
    const before = build.thread();
    build.started(before, 'r1');
    reducer.applyBatch(before, { runUuid: 'r1', attempt: 1, firstSeq: 1, ops: [build.write('1')] });
    const state = nextExecution(before);
    expect(state.store.bytes).toBe(before.store.bytes);
    reducer.applyBatch(state, batch(1, 2, '1'));
    expect(findCheckpoint(state.store, '', '1')?.writes).toHaveLength(1);
  });
});

it('keeps what a copy was made of', () => {
  const origin = { threadId: 'first', checkpointId: 'c1', step: 3 };
  const state = { ...build.copied({ store: { checkpoints: [], blobs: [] } }), origin };
  expect(reportThread(nextExecution(state)).origin).toEqual(origin);
});
