import { describe, expect, it } from 'vitest';
import { failedAsWhole, judge, sumUp } from './suite-result.ts';

describe('what a suite counts for', () => {
  const suite = 'unit';
  const report = { passed: 3, skipped: 1, failures: [], files: [] };
  const end = { suite, report, exitCode: 0, lastWords: 'the port is taken' };

  it('is the result of its report', () => {
    expect(judge(end)).toEqual({ suite, ...report });
    const failed = { ...report, failures: [{ name: 'adds', message: '3 is not 4' }] };
    expect(judge({ ...end, report: failed, exitCode: 1 })).toEqual({ suite, ...failed });
  });

  it('is one failure when it crashed before it reported, with its last words', () => {
    const note = 'ended with code 137 and left no report';
    expect(judge({ ...end, report: undefined, exitCode: 137 })).toEqual({
      suite,
      passed: 0,
      skipped: 0,
      failures: [{ message: `${note}\nthe port is taken` }],
      files: [],
      note,
    });
  });

  it('is one failure more when it was ended from outside, with where it was', () => {
    const misconduct = 'unit was ended: it took longer than 60 s';
    const unfinished = ['sums.test.ts › adds'];
    expect(judge({ ...end, report: { ...report, unfinished }, exitCode: 137, misconduct })).toEqual(
      {
        suite,
        ...report,
        unfinished,
        failures: [{ message: `${misconduct}\nIt was at: sums.test.ts › adds\nthe port is taken` }],
        note: misconduct,
      },
    );
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

  it('is one failure more when it ended in the middle of a test, and reported success', () => {
    const note = 'ended before its tests did';
    const unfinished = ['sums.test.ts › adds'];
    expect(judge({ ...end, report: { ...report, unfinished } }).failures).toEqual([
      { message: `${note}\nIt was at: sums.test.ts › adds\nthe port is taken` },
    ]);
  });

  it('is a failure when it ran nothing but should have', () => {
    const empty = { passed: 0, skipped: 2, failures: [], files: [] };
    expect(judge({ ...end, report: empty })).toEqual({
      suite,
      ...empty,
      failures: [{ message: 'ran no test\nthe port is taken' }],
      note: 'ran no test',
    });
  });
});

it('a step before the suites that failed counts as one failure', () => {
  expect(failedAsWhole({ suite: 'check', note: 'failed before the tests' })).toEqual({
    suite: 'check',
    passed: 0,
    skipped: 0,
    failures: [{ message: 'failed before the tests' }],
    files: [],
    note: 'failed before the tests',
  });
});

it('the jobs of a suite are one row, in the order of the suites', () => {
  const none = { passed: 0, skipped: 0, failures: [], files: [] };
  const kill = { ...none, suite: 'kill', passed: 2, note: 'left no report' };
  expect(
    sumUp(
      [
        kill,
        { ...none, suite: 'unit', passed: 1 },
        { ...kill, passed: 3, failures: [{ message: 'x' }] },
      ],
      ['unit', 'kill'],
    ),
  ).toEqual([
    { ...none, suite: 'unit', passed: 1, skips: [] },
    { ...none, suite: 'kill', passed: 5, failures: [{ message: 'x' }], skips: [], note: kill.note },
  ]);
});
