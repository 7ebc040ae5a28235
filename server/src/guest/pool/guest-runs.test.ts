import { expect, it } from 'vitest';
import type { RunUuid, ThreadId } from '../../model/ids.ts';
import { GuestRuns } from './guest-runs.ts';

const lineAt = (at: number) => ({ at, stream: 'stdout' as const, text: 'raw' });
// Valid ids, but for their length.
const run = (runUuid: string, threadId = 't') => {
  return { threadId: threadId as ThreadId, runUuid: runUuid as RunUuid };
};

it('gives a line to the only run', () => {
  const runs = new GuestRuns(1_000);
  runs.add(run('a'));
  expect(runs.attribute(lineAt(Date.now()))).toMatchObject({ runId: 't_a' });
});

it('gives a line to no run while there are several, and lines that name their run to it', () => {
  const runs = new GuestRuns(1_000);
  runs.add(run('a'));
  runs.add(run('b'));
  expect(runs.attribute(lineAt(Date.now()))).not.toHaveProperty('runId');
  const line = { ...lineAt(Date.now()), runUuid: 'b' };
  expect(runs.attribute(line)).toEqual({ ...lineAt(line.at), runId: 't_b' });
  runs.end(run('b'));
  expect(runs.attribute(line)).toMatchObject({ runId: 't_b' });
});

it('gives a line to no run that names a run which the guest was not given', () => {
  const runs = new GuestRuns(1_000);
  runs.add(run('a'));
  const line = { ...lineAt(Date.now()), runUuid: 'other' };
  expect(runs.attribute(line)).not.toHaveProperty('runId');
});

it('gives a line to no run that names a uuid which runs of two threads have', () => {
  const runs = new GuestRuns(1_000);
  runs.add(run('a'));
  runs.add(run('a', 'copy'));
  const line = { ...lineAt(Date.now()), runUuid: 'a' };
  expect(runs.attribute(line)).not.toHaveProperty('runId');
});

it('knows a run by its uuid as long as it lasts, however many come and go meanwhile', () => {
  const runs = new GuestRuns(1_000);
  runs.add(run('long'));
  for (let n = 0; n < 1_500; n += 1) {
    runs.add(run(`${n}`));
    runs.end(run(`${n}`));
  }
  const runOf = (runUuid: string) => runs.attribute({ ...lineAt(0), runUuid }).runId;
  expect([runOf('long'), runOf('1499'), runOf('0')]).toEqual(['t_long', 't_1499', undefined]);
});

it('gives a line that comes shortly behind the end of the only run to that run', () => {
  const runs = new GuestRuns(1_000);
  runs.add(run('a'));
  runs.end(run('a'));
  expect(runs.attribute(lineAt(Date.now()))).toMatchObject({ runId: 't_a' });
  expect(runs.attribute(lineAt(Date.now() + 2_000))).not.toHaveProperty('runId');
});

it('gives a line to no run shortly after the end of one of two, and then to the other', () => {
  const runs = new GuestRuns(1_000);
  runs.add(run('a'));
  runs.add(run('b'));
  runs.end(run('a'));
  expect(runs.attribute(lineAt(Date.now()))).not.toHaveProperty('runId');
  expect(runs.attribute(lineAt(Date.now() + 2_000))).toMatchObject({ runId: 't_b' });
});

it('gives a line to the run that began when the one before had ended', () => {
  const runs = new GuestRuns(1_000);
  runs.add(run('a'));
  runs.end(run('a'));
  runs.add(run('b'));
  expect(runs.attribute(lineAt(Date.now()))).toMatchObject({ runId: 't_b' });
});
