import { describe, expect, it } from 'vitest';
import { result, started, thread, ticket } from '../../../test/fixtures/thread-builder.ts';
import { IDEMPOTENCY_KEPT_MS, IDEMPOTENCY_KEYS_PER_THREAD } from './idempotency.ts';
import { compact, payloadBytes } from './thread-compaction.ts';
import * as reducer from './thread-reducer.ts';
import type { RunTicket } from '../run/run-record.ts';
import type { ThreadState } from './thread-record.ts';
import { openThread, snapshotThread } from './thread-state.ts';

const keyed = (runUuid: string, changes: Partial<RunTicket> = {}): RunTicket =>
  ticket(runUuid, { idempotency: { key: 'k', body: 'b' }, ...changes });

/** What the workflow does with a ticket: the code of the refusal, or the run that is answered. */
function create(state: ThreadState, next: RunTicket): string {
  const refusal = reducer.checkCreateRun(state, next);
  if (refusal) return refusal.code;
  reducer.applyMultitaskStrategy(state, next);
  return reducer.createRun(state, next).runUuid;
}

describe('a key on a thread', () => {
  it('makes one run, whatever the second request would do with it', () => {
    const state = thread();
    expect(create(state, keyed('r1'))).toBe('r1');
    expect(create(state, keyed('r2', { multitask: 'rollback' }))).toBe('r1');
    expect(create(state, keyed('r3', { multitask: 'reject' }))).toBe('r1');
    expect([...state.runs.keys()]).toEqual(['r1']);
    expect(state.queue).toEqual(['r1']);
  });

  it('is refused with another body, and another key makes another run', () => {
    const state = thread();
    create(state, keyed('r1'));
    const other = { idempotency: { key: 'k', body: 'other' } };
    expect(create(state, ticket('r2', other))).toBe('idempotency_conflict');
    expect(create(state, ticket('r3', { idempotency: { key: 'l', body: 'b' } }))).toBe('r3');
  });

  it('returns the run when it has settled, and on a thread that runs nothing more', () => {
    const state = thread();
    create(state, keyed('r1'));
    reducer.stopThread(state, 2_000);
    expect(create(state, keyed('r2'))).toBe('r1');
    expect(create(state, ticket('r3'))).toBe('thread_stopped');
  });

  it('is carried into the next execution', () => {
    const state = thread();
    create(state, keyed('r1'));
    const next = openThread({ kind: 'continued', snapshot: snapshotThread(state) });
    expect(create(next, keyed('r2'))).toBe('r1');
  });

  it('is forgotten after its time', () => {
    const state = thread();
    create(state, keyed('r1', { createdAt: 1_000 }));
    const [last, late] = [1_000 + IDEMPOTENCY_KEPT_MS, 1_001 + IDEMPOTENCY_KEPT_MS];
    expect(create(state, keyed('r2', { createdAt: last }))).toBe('r1');
    expect(create(state, keyed('r2', { createdAt: late }))).toBe('r2');
    expect(state.keys).toEqual([{ key: 'k', body: 'b', runUuid: 'r2', at: late }]);
  });

  it('is forgotten with a run that is deleted, not with one that is rolled back', () => {
    const state = thread();
    const run = started(state, 'r0');
    reducer.finishAttempt(state, run, result('completed'), 0);
    create(state, keyed('r1'));
    create(state, ticket('r2', { multitask: 'rollback' }));
    expect(create(state, keyed('r3'))).toBe('run_not_found');
    reducer.deleteRun(state, 'r1', 2_000);
    expect(create(state, keyed('r3'))).toBe('r3');
  });
});

describe('many keys on a thread', () => {
  const withKeys = (count: number): ThreadState => {
    const state = thread({ maxRunHistory: 1 });
    for (let i = 0; i < count; i++) {
      create(state, ticket(`r${i}`, { idempotency: { key: `k${i}`, body: 'b' } }));
      reducer.cancelRun(state, `r${i}`, 2_000);
    }
    return state;
  };

  it('are bounded: the oldest go first', () => {
    const state = withKeys(IDEMPOTENCY_KEYS_PER_THREAD + 2);
    expect(state.keys).toHaveLength(IDEMPOTENCY_KEYS_PER_THREAD);
    expect(state.keys?.[0]?.key).toBe('k2');
  });

  it('go before the thread would not fit into its next execution', () => {
    const state = withKeys(100);
    const full = payloadBytes(state);
    expect(compact(state, full - 1)?.shed).toBe('old_runs');
    expect([state.keys, payloadBytes(state)]).toEqual([undefined, full - 20_000]);
  });
});
