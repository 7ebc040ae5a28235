import { expect, it } from 'vitest';
import { cachedCount } from './cached-count.ts';

it('counts again what is counted quickly, and caches what takes long, but not forever', async () => {
  let now = 0;
  let tookMs = 1;
  let total = 0;
  const count = cachedCount(
    async () => {
      now += tookMs;
      return ++total;
    },
    () => now,
  );
  expect([await count('a'), await count('a')]).toEqual([1, 2]);
  tookMs = 100;
  expect([await count('a'), await count('a'), await count('b')]).toEqual([3, 3, 4]);
  now += 1_900;
  expect(await count('a')).toBe(5);
});

it('counts once for concurrent calls, and again after a failure', async () => {
  let calls = 0;
  const count = cachedCount(async () => {
    calls += 1;
    if (calls === 1) throw new Error('unavailable');
    return calls;
  });
  await expect(count('a')).rejects.toThrow('unavailable');
  expect(await Promise.all([count('a'), count('a')])).toEqual([2, 2]);
});
