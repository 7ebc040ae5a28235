import { describe, expect, it } from 'vitest';
import { parseOptions } from './options.ts';

const parse = (words: string, env: Record<string, string> = {}) =>
  parseOptions(words.split(' ').filter(Boolean), env, ['unit', 'kill']);

describe('the words behind npm test', () => {
  it('are suites, parts of names and flags', () => {
    expect(parse('kill stop --slots 3 --rounds 7 --time-limit 0.5 --continued')).toEqual({
      selection: 'all',
      suiteNames: ['kill'],
      filters: ['stop'],
      rounds: 7,
      slots: 3,
      limitMinutes: 0.5,
      leavesOut: false,
      failedBefore: [],
      isContinued: true,
      recordsTimes: false,
    });
    expect(parse('')).toMatchObject({ selection: 'push', suiteNames: [], filters: [] });
  });

  it.each([
    ['--slots x', '--slots takes a number, at least 1'],
    ['--slots 0', '--slots takes a number, at least 1'],
    ['--slots 1.5', '--slots takes a whole number'],
    ['--rounds x', '--rounds takes a number, at least 1'],
    ['--time-limit x', '--time-limit takes a number, at least 0'],
    ['--time-limit=-3', '--time-limit takes a number, at least 0'],
    ['--tests some', '--tests takes one of'],
    ['--record-times --tests all', '--record-times needs whole suites'],
    ['--record-times --tests push unit layers', '--record-times needs whole suites'],
  ])('%s is refused', (words, message) => {
    expect(() => parse(words)).toThrow(message);
  });

  it('are refused when npm kept a flag for itself', () => {
    expect(() => parse('all', { npm_config_tests: 'true' })).toThrow('npm took --tests');
    expect(() => parse('', { npm_config_time_limit: '3' })).toThrow('npm took --time-limit');
  });

  it('may name a limit that no timer has', () => {
    const { limitMinutes = 0 } = parse('--time-limit 1000000');
    expect(limitMinutes * 60_000).toBeLessThan(2 ** 31);
  });
});
