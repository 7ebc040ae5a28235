import { expect, it } from 'vitest';
import { cachedCount } from './cached-count.ts';

it('counts anew what is counted quickly, and spares what takes long, but not for ever', async () => {
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

it('counts once for those who ask at once, and again after a failure', async () => {
  let calls = 0;
  const count = cachedCount(async () => {
    calls += 1;
    if (calls === 1) throw new Error('away');
    return calls;
  });
  await expect(count('a')).rejects.toThrow('away');
  expect(await Promise.all([count('a'), count('a')])).toEqual([2, 2]);
});
