import { afterEach, expect, it, vi } from 'vitest';

import type { RunId } from '../../model/ids.ts';
import type { ProcessUsage } from '../process/process-usage.ts';
import { RunSandboxes } from './run-sandboxes.ts';

const run = (name: string): RunId => name as RunId; // a name is as good here
const limits = { pids: 10, openFiles: 20, tmpBytes: 30 };
const opened: RunSandboxes[] = [];
afterEach(() => {
  vi.useRealTimers();
  for (const runSandboxes of opened.splice(0)) runSandboxes.close();
});

function open(runSandboxesKept = 10): RunSandboxes {
  const runSandboxes = new RunSandboxes({ runSandboxesKept, usageEveryMs: 1_000 });
  opened.push(runSandboxes);
  return runSandboxes;
}

/** A guest that uses these, one after the other. */
function guest(...used: ProcessUsage[]) {
  return {
    usage: () => used.shift() ?? {},
    confinement: { kind: 'docker' as const, limits },
  };
}

it('reports the sandbox, its limits and what was used during the run', () => {
  vi.useFakeTimers();
  const runSandboxes = open();
  const leave = runSandboxes.begin(
    run('a'),
    guest(
      { memoryBytes: 100, cpuSeconds: 5 },
      { memoryBytes: 400, cpuSeconds: 6 },
      { memoryBytes: 200, cpuSeconds: 7.5 },
      { memoryBytes: 900, cpuSeconds: 99 },
    ),
    true,
  );
  expect(runSandboxes.read(run('a'))).toEqual({ kind: 'docker', isShared: true, limits, used: {} });
  vi.advanceTimersByTime(1_000);
  expect(runSandboxes.read(run('a'))?.used).toEqual({ memoryBytes: 400, cpuSeconds: 1 });
  leave();
  vi.advanceTimersByTime(1_000);
  expect(runSandboxes.read(run('a'))?.used).toEqual({ memoryBytes: 400, cpuSeconds: 2.5 });
});

it('keeps what was seen of a guest that has died, and the last attempt of a run', () => {
  const runSandboxes = open();
  const leave = runSandboxes.begin(run('a'), guest({ memoryBytes: 100, cpuSeconds: 1 }), true);
  leave();
  expect(runSandboxes.read(run('a'))?.used).toEqual({ memoryBytes: 100 });
  runSandboxes.begin(run('a'), guest(), false)();
  expect(runSandboxes.read(run('a'))).toMatchObject({ isShared: false, used: {} });
});

it('forgets the oldest runs, and those that are removed', () => {
  const runSandboxes = open(2);
  for (const name of ['a', 'b', 'c']) runSandboxes.begin(run(name), guest(), true)();
  const known = (): boolean[] =>
    ['a', 'b', 'c'].map((name) => runSandboxes.read(run(name)) !== undefined);
  expect(known()).toEqual([false, true, true]);
  runSandboxes.remove(run('c'));
  expect(known()).toEqual([false, true, false]);
});
