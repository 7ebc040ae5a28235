// What one suite counts for in the end.
import type { Failure, Report } from './report.ts';

export interface SuiteResult extends Report {
  readonly suite: string;
  /** Why a failure was counted that no test reported, or why there is nothing to count. */
  readonly note?: string;
}

export interface SuiteEnd {
  readonly suite: string;
  /** What the runner reported; undefined when it left no report. */
  readonly report: Report | undefined;
  /** 0 when the runner was content. */
  readonly exitCode: number;
  /** The end of what the runner wrote to its standard error. */
  readonly lastWords: string;
  /** Whether a run without any test is expected. */
  readonly mayBeEmpty: boolean;
}

const empty: Report = { passed: 0, skipped: 0, failures: [] };

/** Decides what a suite counts for: a crash and an unexpectedly empty run are failures too. */
export function judge({ suite, report, exitCode, lastWords, mayBeEmpty }: SuiteEnd): SuiteResult {
  const { passed, failures } = report ?? empty;
  const failed = (note: string): SuiteResult =>
    failedAsWhole({ suite, note, reason: lastWords, report });
  if (report === undefined) return failed(`ended with code ${exitCode} and left no report`);
  if (exitCode !== 0 && failures.length === 0) {
    return failed(`ended with code ${exitCode} although no test failed`);
  }
  if (passed + failures.length === 0) {
    return mayBeEmpty ? { suite, ...report, note: 'no tests yet' } : failed('ran no test');
  }
  return { suite, ...report };
}

/** A suite, or a step before the suites, that failed without a test of its own that did. */
export function failedAsWhole(options: {
  readonly suite: string;
  readonly note: string;
  /** More than the note says, if there is more. */
  readonly reason?: string;
  readonly report?: Report | undefined;
}): SuiteResult {
  const { suite, note, reason, report = empty } = options;
  const failure: Failure = { message: [note, reason].filter(Boolean).join('\n') };
  return { suite, ...report, failures: [...report.failures, failure], note };
}
