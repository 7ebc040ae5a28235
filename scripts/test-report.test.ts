import { describe, expect, it } from 'vitest';
import {
  closingLine,
  judge,
  parseGoTest,
  parseJunit,
  parsePlaywright,
  parseVitest,
  sum,
} from './test-report.ts';

const file = (status: string, ...results: string[]) => ({
  status,
  assertionResults: results.map((result) => ({ status: result })),
});

describe('what a suite counts for', () => {
  const suite = 'unit';
  const tally = { passed: 3, failed: 0, skipped: 1 };

  it('is what its report says', () => {
    expect(judge({ suite, tally, exitCode: 0, mayBeEmpty: false })).toEqual({ suite, ...tally });
  });

  it('is one failure when it crashed before it reported', () => {
    expect(judge({ suite, tally: undefined, exitCode: 137, mayBeEmpty: true })).toEqual({
      suite,
      passed: 0,
      failed: 1,
      skipped: 0,
      note: 'ended with code 137 and left no report',
    });
  });

  it('is one failure more when the runner failed but no test did', () => {
    expect(judge({ suite, tally, exitCode: 1, mayBeEmpty: false })).toEqual({
      suite,
      passed: 3,
      failed: 1,
      skipped: 1,
      note: 'ended with code 1 although no test failed',
    });
  });

  it('is a failure when it ran nothing but should have', () => {
    const empty = { passed: 0, failed: 0, skipped: 2 };
    expect(judge({ suite, tally: empty, exitCode: 0, mayBeEmpty: false })).toEqual({
      suite,
      passed: 0,
      failed: 1,
      skipped: 2,
      note: 'ran no test',
    });
    expect(judge({ suite, tally: empty, exitCode: 0, mayBeEmpty: true })).toEqual({
      suite,
      ...empty,
      note: 'no tests yet',
    });
  });
});

describe('the closing line', () => {
  it('sums over all suites', () => {
    const total = sum([
      { passed: 2, failed: 0, skipped: 1 },
      { passed: 0, failed: 1, skipped: 0 },
      { passed: 40, failed: 2, skipped: 0 },
    ]);
    expect(total).toEqual({ passed: 42, failed: 3, skipped: 1 });
    expect(closingLine(total)).toBe('42 passed, 3 failed');
  });
});

describe('reading reports', () => {
  it('counts vitest tests, and a file that failed at import once', () => {
    const report = JSON.stringify({
      testResults: [
        file('passed', 'passed', 'passed', 'pending', 'todo'),
        file('failed', 'passed', 'failed'),
        file('failed'),
      ],
    });
    expect(parseVitest(report)).toEqual({ passed: 3, failed: 2, skipped: 2 });
  });

  it('counts pytest tests, errors as failures', () => {
    const report =
      '<?xml version="1.0"?><testsuites name="pytest tests"><testsuite name="pytest" errors="1" ' +
      'failures="2" skipped="1" tests="10" time="0.1" hostname="h"><testcase name="a"/></testsuite></testsuites>';
    expect(parseJunit(report)).toEqual({ passed: 6, failed: 3, skipped: 1 });
  });

  it('counts go tests without their parents', () => {
    const lines = [
      '{"Action":"run","Package":"p","Test":"TestA"}',
      '{"Action":"pass","Package":"p","Test":"TestA/one"}',
      '{"Action":"fail","Package":"p","Test":"TestA/two"}',
      '{"Action":"fail","Package":"p","Test":"TestA"}',
      '{"Action":"skip","Package":"p","Test":"TestB"}',
      '{"Action":"pass","Package":"p","Test":"TestAB"}',
      '{"Action":"fail","Package":"p"}',
      '{"Action":"pass","Package":"q"}',
    ];
    expect(parseGoTest(lines.join('\n'))).toEqual({ passed: 2, failed: 1, skipped: 1 });
  });

  it('counts a go package that did not compile, and a parent that failed by itself', () => {
    const lines = [
      '# broken',
      'broken/a.go:1: syntax error',
      '{"ImportPath":"broken","Action":"build-fail"}',
      '{"Action":"fail","Package":"broken","FailedBuild":"broken"}',
      '{"Action":"pass","Package":"p","Test":"TestA/one"}',
      '{"Action":"fail","Package":"p","Test":"TestA"}',
      '{"Action":"fail","Package":"p"}',
    ];
    expect(parseGoTest(lines.join('\n'))).toEqual({ passed: 1, failed: 2, skipped: 0 });
  });

  it('counts Playwright tests, and errors outside of tests', () => {
    const report = JSON.stringify({
      stats: { expected: 3, unexpected: 1, flaky: 1, skipped: 2 },
      errors: [{}],
    });
    expect(parsePlaywright(report)).toEqual({ passed: 4, failed: 2, skipped: 2 });
  });
});
