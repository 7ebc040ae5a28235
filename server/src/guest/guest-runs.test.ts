import { expect, it } from 'vitest';
import { GuestRuns } from './guest-runs.ts';

const lineAt = (at: number) => ({ at, stream: 'stdout' as const, text: 'raw' });

it('gives a line to the only run', () => {
  const runs = new GuestRuns(1_000);
  runs.add('a');
  expect(runs.attribute(lineAt(Date.now()))).toMatchObject({ runId: 'a' });
});

it('gives a line to nobody while there are several runs, and leaves the ones that say theirs', () => {
  const runs = new GuestRuns(1_000);
  runs.add('a');
  runs.add('b');
  expect(runs.attribute(lineAt(Date.now()))).not.toHaveProperty('runId');
  expect(runs.attribute({ ...lineAt(Date.now()), runId: 'b' })).toMatchObject({ runId: 'b' });
});

it('gives a line that comes shortly behind the end of the only run to that run', () => {
  const runs = new GuestRuns(1_000);
  runs.add('a');
  runs.end('a');
  expect(runs.attribute(lineAt(Date.now()))).toMatchObject({ runId: 'a' });
  expect(runs.attribute(lineAt(Date.now() + 2_000))).not.toHaveProperty('runId');
});

it('gives a line to nobody shortly behind the end of one of two runs, and then to the other', () => {
  const runs = new GuestRuns(1_000);
  runs.add('a');
  runs.add('b');
  runs.end('a');
  expect(runs.attribute(lineAt(Date.now()))).not.toHaveProperty('runId');
  expect(runs.attribute(lineAt(Date.now() + 2_000))).toMatchObject({ runId: 'b' });
});

it('gives a line to the run that began when the one before had ended', () => {
  const runs = new GuestRuns(1_000);
  runs.add('a');
  runs.end('a');
  runs.add('b');
  expect(runs.attribute(lineAt(Date.now()))).toMatchObject({ runId: 'b' });
});
