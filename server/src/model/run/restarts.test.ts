import { expect, it } from 'vitest';
import { backoff, exhausted, lostAttempts } from './restarts.ts';

const restart = { maxAttempts: 3, initialBackoffMs: 1_000, factor: 2, maxBackoffMs: 5_000 };

it('doubles the wait after each lost attempt up to the longest one, up to a quarter less', () => {
  const waits = [1, 2, 3, 4].map((attempt) => backoff({ restart, attempt }, 0.5));
  expect(waits).toEqual([875, 1_750, 3_500, 4_375]);
  expect([0, 1].map((random) => backoff({ restart, attempt: 1 }, random))).toEqual([750, 1_000]);
});

it('does not count attempts that continued after a change of executions', () => {
  const run = { restart, attempt: 5, continuations: 4 };
  expect(lostAttempts(run)).toBe(1);
  expect(backoff(run, 0.5)).toBe(875);
});

it.each([
  [3, undefined, 'The attempt was lost. All 3 restarts are used up.'],
  [0, { code: 'crash', message: 'It crashed.' }, 'It crashed. Restarts are switched off.'],
])('reports why a run with %s restarts ends', (maxAttempts, last, message) => {
  const run = { restart: { ...restart, maxAttempts }, attempt: 4 };
  expect(exhausted(run, last)).toEqual({ code: 'restarts_exhausted', message });
});
