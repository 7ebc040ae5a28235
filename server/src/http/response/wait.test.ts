import { describe, expect, it } from 'vitest';
import { MAX_WAIT_MS, parseDuration, waitWindow } from './wait.ts';

describe('parseDuration', () => {
  it.each([
    ['30s', 30_000],
    ['5m', 300_000],
    ['500ms', 500],
    ['1.5s', 1_500],
    ['.5s', 500],
    ['1h30m', 5_400_000],
    ['1h1m1s1ms', 3_661_001],
    ['1000us', 1],
    ['1000µs', 1],
    ['1000000ns', 1],
    ['30', 30_000],
    ['0', 0],
    ['0s', 0],
    ['+5s', 5_000],
  ])('reads %s', (text, milliseconds) => {
    expect(parseDuration(text)).toBeCloseTo(milliseconds, 6);
  });

  it.each([
    '',
    ' ',
    's',
    '1x',
    '1.5',
    '-1s',
    '-1',
    '1s ',
    '1 s',
    '1e3s',
    'NaN',
    '.s',
    '1h-1m',
    '１s',
  ])('refuses %j', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });

  it('refuses endless text without spending time on it', () => {
    expect(parseDuration('1s'.repeat(100_000))).toBeUndefined();
  });
});

describe('waitWindow', () => {
  it('clamps at 10 minutes and never refuses for length', () => {
    expect(waitWindow({ wait: '11m' })).toBe(MAX_WAIT_MS);
    expect(waitWindow({ wait: '99999999999999999999' })).toBe(MAX_WAIT_MS);
  });

  it('lets wait win over timeout', () => {
    expect(waitWindow({ wait: '1s', timeout: '2s' })).toBe(1_000);
    expect(waitWindow({ timeout: '2s' })).toBe(2_000);
    expect(waitWindow({})).toBeUndefined();
  });
});
