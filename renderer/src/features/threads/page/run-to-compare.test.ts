import { expect, test } from 'vitest';
import type { HistoryEntry, Run } from '../../../api/generated/types.gen.ts';
import { runToCompare } from './run-to-compare.ts';

const uuid = (digit: number): string => `01a1ffd9-042e-7508-92d5-00000000000${digit}`;
/** Three runs, the newest first; only their ids matter here. */
const runs = [3, 2, 1].map((digit) => ({ run_id: `t_${uuid(digit)}` }) as unknown as Run);
const entry = (id: string, run: number, parent?: string) =>
  ({
    checkpoint: { checkpoint_id: id },
    metadata: { run_id: uuid(run) },
    ...(parent !== undefined && { parent_checkpoint: { checkpoint_id: parent } }),
  }) as unknown as HistoryEntry; // what is read of it
const history = [entry('c4', 3, 'c3'), entry('c3', 2, 'c2'), entry('c2', 1, 'c1'), entry('c1', 1)];

test.each<[string | undefined, number, string]>([
  ['c1', 1, 'the same run, in the middle of it'],
  ['c2', 2, 'the next run, at the end of one'],
  ['c4', 3, 'the run that made it, at the head'],
  ['gone', 3, 'the newest, when the checkpoint is no longer retained'],
  [undefined, 3, 'the newest, when no checkpoint is recorded'],
])('a copy from %s is compared with run %i: %s', (checkpoint, run, _why) => {
  expect(runToCompare(history, runs, checkpoint)?.run_id).toBe(`t_${uuid(run)}`);
});

test('where what followed is no longer retained, it is the run after the one that made it', () => {
  expect(runToCompare([entry('c1', 1)], runs, 'c1')?.run_id).toBe(`t_${uuid(2)}`);
});

test('a thread without runs has none to compare with', () => {
  expect(runToCompare([], [], undefined)).toBeUndefined();
});
