import { afterEach, expect, it, vi } from 'vitest';

import type { RunId } from '../model/ids.ts';
import type { ProcessUsage } from './process-usage.ts';
import { RunPlaces } from './run-places.ts';

const run = (name: string): RunId => name as RunId; // a name is as good here
const limits = { pids: 10, openFiles: 20, tmpBytes: 30 };
const opened: RunPlaces[] = [];
afterEach(() => {
  vi.useRealTimers();
  for (const places of opened.splice(0)) places.close();
});

function open(placesKept = 10): RunPlaces {
  const places = new RunPlaces({ placesKept, usageEveryMs: 1_000 });
  opened.push(places);
  return places;
}

/** A guest that uses these, one after the other. */
function guest(...used: ProcessUsage[]) {
  return {
    usage: () => used.shift() ?? {},
    confinement: { sandbox: 'docker' as const, limits },
  };
}

it('tells the sandbox, its limits and what was used while the run was there', () => {
  vi.useFakeTimers();
  const places = open();
  const leave = places.begin(
    run('a'),
    guest(
      { memoryBytes: 100, cpuSeconds: 5 },
      { memoryBytes: 400, cpuSeconds: 6 },
      { memoryBytes: 200, cpuSeconds: 7.5 },
      { memoryBytes: 900, cpuSeconds: 99 },
    ),
    true,
  );
  expect(places.read(run('a'))).toEqual({ sandbox: 'docker', isShared: true, limits, used: {} });
  vi.advanceTimersByTime(1_000);
  expect(places.read(run('a'))?.used).toEqual({ memoryBytes: 400, cpuSeconds: 1 });
  leave();
  vi.advanceTimersByTime(1_000);
  expect(places.read(run('a'))?.used).toEqual({ memoryBytes: 400, cpuSeconds: 2.5 });
});

it('keeps what was seen of a guest that has died, and the last attempt of a run', () => {
  const places = open();
  const leave = places.begin(run('a'), guest({ memoryBytes: 100, cpuSeconds: 1 }), true);
  leave();
  expect(places.read(run('a'))?.used).toEqual({ memoryBytes: 100 });
  places.begin(run('a'), guest(), false)();
  expect(places.read(run('a'))).toMatchObject({ isShared: false, used: {} });
});

it('forgets the oldest runs, and those that are removed', () => {
  const places = open(2);
  for (const name of ['a', 'b', 'c']) places.begin(run(name), guest(), true)();
  const known = (): boolean[] =>
    ['a', 'b', 'c'].map((name) => places.read(run(name)) !== undefined);
  expect(known()).toEqual([false, true, true]);
  places.remove(run('c'));
  expect(known()).toEqual([false, true, false]);
});
