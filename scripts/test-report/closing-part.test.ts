import { describe, expect, it } from 'vitest';
import { closingPart } from './closing-part.ts';
import type { Failure } from './report.ts';
import type { SuiteResult } from './suite-result.ts';

const lines = (count: number): string =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}`).join('\n');
const suite = (name: string, ...failures: Failure[]): SuiteResult => ({
  suite: name,
  passed: 2,
  skipped: 1,
  failures,
});

describe('the closing part', () => {
  it('is the table and the sum when nothing failed', () => {
    expect(closingPart([suite('unit'), { ...suite('ui'), note: 'no tests yet' }])).toEqual([
      '',
      '✓ unit             2 passed, 0 failed, 1 skipped',
      '✓ ui               2 passed, 0 failed, 1 skipped (no tests yet)',
      '4 passed, 0 failed',
    ]);
  });

  it('tells before the table what failed and why, without colours and empty lines', () => {
    const results = [
      suite('unit', {
        file: 'src/sums.test.ts',
        name: 'sums › adds',
        message: '\u001b[31mexpected 3 to be 4\u001b[39m\n\n- 4\r\n+ 3\n',
      }),
      suite('ui', { message: 'ended with code 1' }),
    ];
    expect(closingPart(results)).toEqual([
      '',
      '── what failed',
      '✗ unit › src/sums.test.ts › sums › adds',
      '    expected 3 to be 4',
      '    - 4',
      '    + 3',
      '✗ ui',
      '    ended with code 1',
      '',
      '✗ unit             2 passed, 1 failed, 1 skipped',
      '✗ ui               2 passed, 1 failed, 1 skipped',
      '4 passed, 2 failed',
    ]);
  });

  it('gives one reason twenty lines, and says how many more there are', () => {
    const part = closingPart([suite('unit', { name: 'adds', message: lines(23) })]);
    expect(part.slice(21, 24)).toEqual(['    line 19', '    line 20', '    … 3 more']);
  });

  it('cuts endless lines', () => {
    const [, , , reason] = closingPart([suite('unit', { message: 'x'.repeat(1000) })]);
    expect(reason?.length).toBeLessThan(210);
  });

  it('begins with the first failure of each suite', () => {
    const failures = ['first', 'second'].map((name) => ({ name, message: 'no' }));
    const part = closingPart([suite('unit', ...failures), suite('ui', ...failures)]);
    expect(part.filter((line) => line.includes(' › '))).toEqual([
      '✗ unit › first',
      '✗ ui › first',
      '✗ unit › second',
      '✗ ui › second',
    ]);
  });

  it('only names failures when there are many, counts the rest, and fits into a hundred lines', () => {
    const failures = Array.from({ length: 300 }, (_, index) => ({
      name: `test ${index + 1}`,
      message: lines(30),
    }));
    // As many rows as there can be: a step before, eleven suites and what they need.
    const others = Array.from({ length: 14 }, (_, index) => suite(`suite ${index}`));
    const part = closingPart([suite('unit', ...failures), ...others]);
    const third = part.indexOf('✗ unit › test 3');
    expect(part.slice(third + 14, third + 18)).toEqual([
      '    line 14',
      '    … 16 more',
      '✗ unit › test 4',
      '✗ unit › test 5',
    ]);
    expect(part[part.indexOf('✗ unit › test 20') + 1]).toBe('and 280 more');
    expect(part.length).toBeLessThan(100);
    expect(part.at(-1)).toBe('30 passed, 300 failed');
  });
});
