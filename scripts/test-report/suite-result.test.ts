import { describe, expect, it } from 'vitest';
import { failedAsWhole, judge } from './suite-result.ts';

describe('what a suite counts for', () => {
  const suite = 'unit';
  const report = { passed: 3, skipped: 1, failures: [] };
  const end = { suite, report, exitCode: 0, lastWords: 'the port is taken', mayBeEmpty: false };

  it('is what its report says', () => {
    expect(judge(end)).toEqual({ suite, ...report });
    const failed = { ...report, failures: [{ name: 'adds', message: '3 is not 4' }] };
    expect(judge({ ...end, report: failed, exitCode: 1 })).toEqual({ suite, ...failed });
  });

  it('is one failure when it crashed before it reported, with its last words', () => {
    const note = 'ended with code 137 and left no report';
    expect(judge({ ...end, report: undefined, exitCode: 137, mayBeEmpty: true })).toEqual({
      suite,
      passed: 0,
      skipped: 0,
      failures: [{ message: `${note}\nthe port is taken` }],
      note,
    });
  });

  it('is one failure more when the runner failed but no test did', () => {
    const note = 'ended with code 1 although no test failed';
    expect(judge({ ...end, exitCode: 1 })).toEqual({
      suite,
      ...report,
      failures: [{ message: `${note}\nthe port is taken` }],
      note,
    });
  });

  it('is a failure when it ran nothing but should have', () => {
    const empty = { passed: 0, skipped: 2, failures: [] };
    expect(judge({ ...end, report: empty })).toEqual({
      suite,
      ...empty,
      failures: [{ message: 'ran no test\nthe port is taken' }],
      note: 'ran no test',
    });
    expect(judge({ ...end, report: empty, mayBeEmpty: true })).toEqual({
      suite,
      ...empty,
      note: 'no tests yet',
    });
  });
});

it('a step before the suites that failed counts as one failure', () => {
  expect(failedAsWhole({ suite: 'check', note: 'failed before the tests' })).toEqual({
    suite: 'check',
    passed: 0,
    skipped: 0,
    failures: [{ message: 'failed before the tests' }],
    note: 'failed before the tests',
  });
});
