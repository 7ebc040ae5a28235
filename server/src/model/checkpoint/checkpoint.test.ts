import { expect, it } from 'vitest';
import { result, save, started, thread } from '../../../test/fixtures/thread-builder.ts';
import { listCheckpoints } from './checkpoint-store.ts';
import type { StoredOp } from './stored.ts';
import { compact, payloadBytes } from '../thread/thread-compaction.ts';
import * as reducer from '../thread/thread-reducer.ts';
import type { ThreadState } from '../thread/thread-record.ts';

const KIB = 1_024;

/** What a run saves whose sub-graphs are called in its one step: `inner` for this call alone, `memory` for all. */
function stepWithSubgraphs(run: number): StoredOp[] {
  const id = (part: number): string => `${String(run).padStart(4, '0')}-${part}`;
  const large = { size: 20 * KIB };
  return [
    save(id(0), { a: id(0) }),
    save(id(1), { b: id(1) }, { ns: `inner:${run}`, ...large }),
    save(id(2), { c: id(2) }, { ns: 'memory' }),
    save(id(3), { a: id(3) }),
  ];
}

function completeRun(state: ThreadState, number: number): void {
  const run = started(state, `r${number}`);
  reducer.finishAttempt(state, run, result('completed', { ops: stepWithSubgraphs(number) }), 0);
}

const namespaces = (state: ThreadState): string[] => [
  ...new Set([...listCheckpoints(state.store)].map(({ ns }) => ns)),
];

it('lets the head of a call go with its run, and keeps that of a sub-graph with a memory', () => {
  const state = thread();
  completeRun(state, 1);
  completeRun(state, 2);
  reducer.deleteRun(state, 'r1', 3_000);
  expect(namespaces(state)).toEqual(['', 'memory', 'inner:2']);
  reducer.deleteRun(state, 'r2', 3_000);
  expect(namespaces(state)).toEqual(['', 'memory']);
});

it('keeps the head of a call whose step has not ended', () => {
  const state = thread();
  const run = started(state, 'asks');
  const ops = [
    save('1', {}),
    save('2', {}, { ns: 'inner:1' }),
    save('3', {}, { ns: 'inner:1|deep:2' }),
  ];
  reducer.finishAttempt(state, run, result('interrupted', { ops }), 0);
  reducer.deleteRun(state, 'asks', 3_000);
  expect(namespaces(state)).toEqual(['inner:1|deep:2', 'inner:1', '']);
});

it('does not fill up with the calls of sub-graphs', () => {
  const state = thread({ maxRunHistory: 10_000 });
  for (let number = 1; number <= 400; number += 1) completeRun(state, number);
  expect(payloadBytes(state)).toBeGreaterThan(4_000 * KIB);
  expect(compact(state, 1_000 * KIB)?.shed).toBe('old_checkpoints');
  expect(namespaces(state)).toContain('memory');
  expect(namespaces(state)).toContain('inner:400');
  expect(namespaces(state)).not.toContain('inner:1');
});
