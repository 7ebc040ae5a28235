import { expect, it } from 'vitest';
import { timeLeft } from './time-left.ts';

it('lets begin what would end in time, as slow as the machine has been so far', () => {
  let now = 0;
  const left = timeLeft(1_000_000, () => now);
  expect([left.fits(700), left.fits(800)]).toEqual([true, false]);
  left.took(200, 100);
  left.took(400, 200);
  expect([left.fits(300), left.fits(400)]).toEqual([true, false]);
  now = 600_000;
  expect([left.fits(100), left.fits(160)]).toEqual([true, false]);
});

it('takes no machine for faster than usual', () => {
  const left = timeLeft(1_000_000, () => 0);
  left.took(10, 100);
  expect(left.fits(800)).toBe(false);
});
