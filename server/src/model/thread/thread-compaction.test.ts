import { describe, expect, it } from 'vitest';
import * as build from '../../../test/fixtures/thread-builder.ts';
import { findCheckpoint, listCheckpoints } from '../checkpoint/checkpoint-store.ts';
import { fromBytes, packFrame, toBytes } from '../frame.ts';
import { deriveLimits } from '../limits/limits.ts';
import type { StoredOp } from '../checkpoint/stored.ts';
import { compact, packCompacted, payloadBytes } from './thread-compaction.ts';
import * as reducer from './thread-reducer.ts';
import { openInterrupts } from './thread-question.ts';
import type { ThreadState } from './thread-record.ts';
import { snapshotThread, threadStatus } from './thread-state.ts';

it('sheds outputs before old checkpoints, and never a head', () => {
  const state = build.thread();
  for (const id of ['1', '2', '3']) {
    const run = build.started(state, `r${id}`);
    const ops = [build.save(id, { a: id }, { size: 5_000 })];
    reducer.finishAttempt(
      state,
      run,
      build.result('completed', { ops, output: toBytes('x'.repeat(5_000)) }),
      0,
    );
  }
  const full = payloadBytes(state);
  expect(compact(state, full)?.shed).toBe('nothing');
  expect(compact(state, full - 4_000)?.shed).toBe('outputs');
  expect([...state.runs.values()].map((run) => run.output !== undefined)).toEqual([
    false,
    true,
    true,
  ]);
  expect(compact(state, full - 18_000)?.shed).toBe('old_checkpoints');
  expect(findCheckpoint(state.store, '')?.id).toBe('3');
});

it('packs no more than the engine takes, also where the estimate is short', () => {
  const state = build.thread();
  const versions = Object.fromEntries(
    Array.from({ length: 20 }, (_, index) => [
      `branch:to:a_node_with_a_long_name_${index}`,
      `${index}`,
    ]),
  );
  for (let index = 0; index < 20; index++) {
    const run = reducer.createRun(
      state,
      build.ticket(`r${index}`, { metadata: { note: '日'.repeat(2_000) } }),
    );
    reducer.activateNextRun(state);
    reducer.beginAttempt(run);
    const ops = [build.save(`${index}`, versions, { size: 10 })];
    reducer.finishAttempt(state, run, build.result('completed', { ops }), 0);
  }
  const estimate = payloadBytes(state);
  const limits = { budget: estimate, engineBytes: estimate };
  expect(packFrame(snapshotThread(state)).byteLength).toBeGreaterThan(estimate);
  const before = structuredClone(snapshotThread(state));
  const packed = packCompacted(state, limits);
  expect(packed?.frame.byteLength).toBeLessThanOrEqual(estimate);
  expect(packed?.compaction.shed).toBe('old_runs');
  expect(packCompacted(state, { ...limits, engineBytes: 1_000 })).toBeUndefined();
  // It may not have got away, and continues as it is.
  expect(snapshotThread(state)).toEqual(before);
});

describe('a thread that is in use for years', () => {
  it('does not stop because many of its runs have failed', () => {
    const state = build.thread();
    const error = { code: 'agent_error', message: 'no', traceback: 't'.repeat(5_000) };
    for (let index = 0; index < 50; index++) {
      const run = build.started(state, `r${index}`);
      reducer.finishAttempt(state, run, build.result('error', { error }), 0);
    }
    expect(compact(state, 100_000)?.shed).toBe('outputs');
    expect(payloadBytes(state)).toBeLessThanOrEqual(100_000);
    expect(state.runs.get('r49')?.error).toEqual(error);
  });

  it('does not stop because many of its runs have asked; the last question stays', () => {
    const state = build.thread();
    for (let index = 0; index < 50; index++) {
      const run = build.started(state, `r${index}`);
      const asked = { output: toBytes('{}'), interrupts: toBytes('x'.repeat(5_000)) };
      reducer.finishAttempt(state, run, build.result('interrupted', asked), 0);
    }
    expect(compact(state, 100_000)?.shed).toBe('outputs');
    expect(openInterrupts(state)).toEqual(toBytes('x'.repeat(5_000)));
  });

  it('drops the oldest runs rather than stop because of what clients wrote beside them', () => {
    const state = build.thread();
    for (let index = 0; index < 50; index++) {
      reducer.createRun(
        state,
        build.ticket(`r${index}`, { metadata: { note: 'n'.repeat(5_000) } }),
      );
      const run = reducer.activateNextRun(state);
      if (run) reducer.finishAttempt(state, run, build.result('completed'), 0);
    }
    expect(compact(state, 100_000)?.shed).toBe('old_runs');
    expect(payloadBytes(state)).toBeLessThanOrEqual(100_000);
    expect([state.runs.has('r0'), state.runs.has('r49'), state.newest]).toEqual([
      false,
      true,
      'r49',
    ]);
  });
});

it('sheds nothing when the thread does not fit even so, and then runs nothing more', () => {
  const state = build.thread();
  const run = build.started(state, 'r1');
  const ops = [build.save('1', { a: '1' }, { size: 5_000 })];
  reducer.finishAttempt(state, run, build.result('completed', { ops, output: toBytes('{}') }), 0);
  const full = payloadBytes(state);
  expect(packCompacted(state, { budget: 100, engineBytes: 100 })).toBeUndefined();
  expect([payloadBytes(state), fromBytes(run.output as Uint8Array /* at hand */)]).toEqual([
    full,
    '{}',
  ]);
  reducer.stopThread(state, 3_000);
  expect([threadStatus(state), reducer.checkCreateRun(state, build.ticket('r2'))?.code]).toEqual([
    'error',
    'thread_stopped',
  ]);
});

describe('a thread that does not fit into its next execution', () => {
  it('ends the run that is active and those that wait with CANPayloadBudgetExceeded', () => {
    const state = build.thread();
    const run = build.started(state, 'r1');
    reducer.createRun(state, build.ticket('r2'));
    expect(reducer.stopThread(state, 3_000)).toEqual(['r1', 'r2']);
    const code = 'CANPayloadBudgetExceeded';
    expect([...state.runs.values()].map(({ status, error }) => [status, error?.code])).toEqual([
      ['error', code],
      ['error', code],
    ]);
    expect([threadStatus(state), state.active, state.queue]).toEqual(['error', undefined, []]);
    const late = { runUuid: 'r1', attempt: 1, firstSeq: 1, ops: [build.save('1', {})] };
    expect([run.status, reducer.checkBatch(state, late)?.code]).toEqual(['error', 'run_fenced']);
  });

  function withWrites(outcome: 'completed' | 'interrupted'): ThreadState {
    const state = build.thread({ maxCheckpointHistory: 9 });
    const run = build.started(state, 'r1');
    const text = 'x'.repeat(5_000);
    const ops = [
      build.save('1', {}),
      build.write('1', 0, text),
      build.save('2', {}),
      build.write('2', 0, text),
    ];
    reducer.finishAttempt(state, run, build.result(outcome, { ops, interrupts: toBytes('[]') }), 0);
    return state;
  }

  it('sheds every pending write first when no run continues from them', () => {
    const state = withWrites('completed');
    expect(compact(state, payloadBytes(state) - 1_000)).toMatchObject({
      shed: 'pending_writes',
      writeBytes: 0,
    });
  });

  it('keeps those of an open question unless nothing else helps', () => {
    const state = withWrites('interrupted');
    const full = payloadBytes(state);
    expect(compact(state, full - 1_000)).toMatchObject({ shed: 'pending_writes' });
    expect(findCheckpoint(state.store, '')?.writes).toHaveLength(1);
    expect(compact(state, full - 9_000)).toMatchObject({ shed: 'open_writes', writeBytes: 0 });
  });

  it('keeps a question whose answer has failed', () => {
    const state = withWrites('interrupted');
    const asking = { taskId: 'asks', taskPath: '', index: -3, channel: '__interrupt__' };
    const value = { tag: 'json', bytes: toBytes('[]') };
    const writes = [{ ...asking, value }];
    const run = build.started(state, 'r2');
    const ops: StoredOp[] = [{ kind: 'writes', ns: '', checkpointId: '2', writes }];
    reducer.finishAttempt(state, run, build.result('error', { ops }), 0);
    expect(compact(state, payloadBytes(state) - 1_000)).toMatchObject({ shed: 'pending_writes' });
    const resume = build.ticket('r3', { isResume: true });
    expect(reducer.checkCreateRun(state, resume)).toBeUndefined();
  });

  it('sheds the older checkpoints of an active run last, and none of those of others that are heads', () => {
    const state = build.thread({ maxCheckpointHistory: 9 });
    const first = build.started(state, 'r1');
    const child = build.save('0', {}, { ns: 'child', size: 3_000 });
    reducer.finishAttempt(
      state,
      first,
      build.result('completed', { ops: [build.save('1', {}), child] }),
      0,
    );
    build.started(state, 'r2');
    const ops = ['2', '3', '4'].map((id) => build.save(id, { a: id }, { size: 3_000 }));
    reducer.applyBatch(state, { runUuid: 'r2', attempt: 1, firstSeq: 1, ops });
    expect(compact(state, payloadBytes(state) - 3_500)).toMatchObject({ shed: 'old_checkpoints' });
    const left = [...listCheckpoints(state.store)].map(({ ns, id }) => [ns, id]);
    expect(left).toEqual([
      ['', '4'],
      ['', '3'],
      ['child', '0'],
    ]);
  });

  it('never has more bytes than it reports', () => {
    const state = build.thread({ maxCheckpointHistory: 9 });
    for (let at = 0; at < 50; at += 1) {
      const id = `00000000-0000-0000-0000-${String(at).padStart(12, '0')}`;
      const run = build.started(state, id);
      const ops = [build.save(id, { a: id, b: id }), build.write(id, 0, 'write')];
      const output = toBytes('{"a":1}');
      reducer.finishAttempt(state, run, build.result('completed', { ops, output }), 0);
    }
    const { byteLength } = packFrame({ kind: 'continued', snapshot: snapshotThread(state) });
    expect(payloadBytes(state)).toBeGreaterThan(byteLength);
    expect(payloadBytes(state)).toBeLessThan(2 * byteLength);
  });
});

describe('the budget that a thread derives from its largest checkpoint', () => {
  const maxCheckpointBytes = 100 * 1_024;
  const { canPayload } = deriveLimits({ maxCheckpointBytes });

  /** A thread of one completed run whose payload has exactly so many bytes. */
  function threadOf(bytes: number): ThreadState {
    const state = build.thread();
    const run = build.started(state, 'r1');
    reducer.finishAttempt(state, run, build.result('completed', { output: new Uint8Array(0) }), 0);
    run.output = new Uint8Array(bytes - payloadBytes(state));
    return state;
  }

  it('carries everything just below it', () => {
    expect(compact(threadOf(canPayload), canPayload)?.shed).toBe('nothing');
  });

  it('sheds just above it', () => {
    expect(compact(threadOf(canPayload + 1), canPayload)?.shed).toBe('outputs');
  });
});
