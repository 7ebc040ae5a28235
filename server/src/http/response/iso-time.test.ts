import { expect, it } from 'vitest';
import { isoTime, ZERO_TIME } from './iso-time.ts';

it('shows every time, and an odd one as the zero time', () => {
  expect(isoTime(Date.parse('9999-12-31T23:59:59.999Z'))).toBe('9999-12-31T23:59:59.999Z');
  expect(isoTime(0)).toBe('1970-01-01T00:00:00.000Z');
  for (const odd of [2 ** 53 - 1, 253_402_300_800_000, -1e15, Number.NaN, Infinity]) {
    expect(isoTime(odd)).toBe(ZERO_TIME);
  }
});
