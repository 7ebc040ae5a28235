import { describe, expect, it } from 'vitest';
import { closingPart } from './closing-part.ts';
import type { Failure } from './report.ts';
import type { SuiteResult } from './suite-result.ts';

const lines = (count: number): string =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}`).join('\n');
const news = { seconds: 75, remarks: [] };
const suite = (name: string, ...failures: Failure[]): SuiteResult => ({
  suite: name,
  passed: 2,
  skipped: 1,
  failures,
  files: [],
});

describe('the closing part', () => {
  it('is the table and the sum when nothing failed', () => {
    expect(closingPart([suite('unit'), { ...suite('ui'), note: 'no tests yet' }], news)).toEqual([
      '',
      '✓ unit             2 passed, 0 failed, 1 skipped',
      '! ui               2 passed, 0 failed, 1 skipped (no tests yet)',
      '',
      'took 1 min 15 s',
      '4 passed, 0 failed',
    ]);
  });

  it('prints before the table what failed and why, without colours and empty lines', () => {
    const results = [
      suite('unit', {
        file: 'src/sums.test.ts',
        name: 'sums › adds',
        message: '\u001b[31mexpected 3 to be 4\u001b[39m\n\n- 4\r\n+ 3\n',
      }),
      suite('ui', { message: 'ended with code 1' }),
    ];
    expect(closingPart(results, news)).toEqual([
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
      '',
      'took 1 min 15 s',
      '4 passed, 2 failed',
    ]);
  });

  it('gives one reason twenty lines, and counts the rest', () => {
    const part = closingPart([suite('unit', { name: 'adds', message: lines(23) })], news);
    expect(part.slice(21, 24)).toEqual(['    line 19', '    line 20', '    … 3 more']);
  });

  it('cuts endless lines', () => {
    const [, , , reason] = closingPart([suite('unit', { message: 'x'.repeat(1000) })], news);
    expect(reason?.length).toBeLessThan(210);
  });

  it('begins with the first failure of each suite', () => {
    const failures = ['first', 'second'].map((name) => ({ name, message: 'no' }));
    const part = closingPart([suite('unit', ...failures), suite('ui', ...failures)], news);
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
    const part = closingPart([suite('unit', ...failures), ...others], news);
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

  it('fits into a hundred lines whatever else there is to report', () => {
    const failures = Array.from({ length: 300 }, (_, index) => ({
      name: `one\nwith ${index} lines`,
      message: lines(30),
    }));
    const skips = failures.map(({ name }) => ({ name, reason: 'two\nlines' }));
    const files = failures.map((_, seconds) => ({ file: 'a.test.ts', seconds }));
    const results = Array.from({ length: 18 }, (_, index) => ({
      ...{ ...suite(`suite ${index}`, ...failures), skips, files },
      ...{ note: 'left sh -c\nsleep 9\nrunning', missing: 'PostgreSQL is missing' },
    }));
    const part = closingPart(results, { ...news, remarks: ['Electron 33'] });
    expect(part.length).toBeLessThan(100);
    expect(part.filter((line) => line.includes('\n'))).toEqual([]);
    expect(part.at(-1)).toBe('36 passed, 5400 failed');
  });

  it('does not call good what was not started', () => {
    const none = { suite: 'e2e', passed: 0, skipped: 0, failures: [], files: [] };
    const part = closingPart([{ ...none, note: 'e2e/shell was not started' }], news);
    expect(part[1]).toBe(
      '! e2e              0 passed, 0 failed, 0 skipped (e2e/shell was not started)',
    );
  });

  it('reports prominently what this machine lacks, and what installs it', () => {
    const none = { passed: 0, skipped: 0, failures: [], files: [] };
    const missing = 'Chromium is missing: apt-get install chromium';
    const part = closingPart(
      [
        { suite: 'e2e', ...none, missing },
        { ...suite('unit'), missing },
      ],
      news,
    );
    expect(part).toContain(`! e2e              SKIPPED: ${missing}`);
    const unit = part.indexOf('✓ unit             2 passed, 0 failed, 1 skipped');
    expect(part[unit + 1]).toBe(`!   in part SKIPPED: ${missing}`);
  });

  it('names tests that were skipped, with their reasons', () => {
    const skips = [{ name: 'disk.test.ts › is full', reason: 'no second disk' }];
    const part = closingPart([{ ...suite('unit'), skips }], news);
    expect(part.slice(0, 3)).toEqual([
      '',
      '── what was skipped',
      '- unit › disk.test.ts › is full: no second disk',
    ]);
  });

  it('names the five slowest files, and has room for remarks', () => {
    const files = [1, 6, 3, 5, 2, 4].map((seconds) => ({ file: `${seconds}.ts`, seconds }));
    const part = closingPart([{ ...suite('unit'), files }], { ...news, remarks: ['Electron 33'] });
    expect(part.slice(2, -2)).toEqual([
      '! Electron 33',
      '',
      'slowest files',
      ...[6, 5, 4, 3, 2].map((seconds) => `    ${seconds}.0 s  ${seconds}.ts`),
    ]);
  });
});
