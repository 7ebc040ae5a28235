import { expect, test } from 'vitest';
import {
  formatAgo,
  formatCost,
  formatDuration,
  formatElapsed,
  formatNumber,
  formatSize,
  formatUtc,
  shortenMiddle,
} from './format.ts';

test.each([
  [0, '0 ms'],
  [0.4, '<1 ms'],
  [812, '812 ms'],
  [999.6, '1.0 s'],
  [4_200, '4.2 s'],
  [42_400, '42 s'],
  [59_960, '1 m'],
  [190_000, '3 m 10 s'],
  [7_500_000, '2 h 5 m'],
  [273_600_000, '3 d 4 h'],
  [Number.NaN, ''],
])('a duration of %d ms reads %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test.each([
  [80, '80 B'],
  [999, '999 B'],
  [1_200, '1.2 kB'],
  [99_960, '100 kB'],
  [999_999, '1 MB'],
  [5_340_000, '5.3 MB'],
])('a size of %d bytes reads %s', (bytes, text) => {
  expect(formatSize(bytes)).toBe(text);
});

test('numbers have groups, elapsed time whole seconds, times their exact UTC', () => {
  expect(formatNumber(1_204)).toBe('1,204');
  expect(formatElapsed(4_900)).toBe('4 s');
  expect(formatElapsed(190_000)).toBe('3 m 10 s');
  expect(formatUtc('2026-11-21T12:00:00Z')).toBe('2026-11-21 12:00:00.000 UTC');
  expect(formatUtc('never')).toBe('never');
});

test.each([
  [1, 'just now'],
  [42, '42 s ago'],
  [300, '5 m ago'],
  [7_300, '2 h ago'],
  [200_000, '2 d ago'],
  [8_640_000, '2026-08-13'],
])('%d seconds ago reads %s', (seconds, text) => {
  const now = Date.parse('2026-11-21T12:00:00Z');
  expect(formatAgo(now - seconds * 1_000, now)).toBe(text);
});

test('ids are shortened in the middle', () => {
  expect(shortenMiddle('user-42')).toBe('user-42');
  expect(shortenMiddle('019aa5c0-7a4e-7cc1-9d2e-3f1b2c4d5e6f')).toBe('019aa5…4d5e6f');
});

test('a cost has cents, and a small one its first two digits', () => {
  const costs = [0, 1_204, 0.1234, 0.0123, 0.000029];
  expect(costs.map(formatCost)).toEqual(['0.00', '1,204.00', '0.12', '0.012', '<0.0001']);
});
