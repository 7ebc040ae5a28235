// What one suite counts for in the end.
import type { Failure, Report } from './report.ts';

export interface SuiteResult extends Report {
  readonly suite: string;
  /** Why a failure was counted that no test reported, or why there is nothing to count. */
  readonly note?: string;
  /** Why it did not run on this machine, and what helps. */
  readonly missing?: string;
}

export interface SuiteEnd {
  readonly suite: string;
  /** What the runner reported; undefined when it left no report. */
  readonly report: Report | undefined;
  /** 0 when the runner was content. */
  readonly exitCode: number;
  /** The end of what the runner wrote to its standard error. */
  readonly lastWords: string;
  /** Why it was ended from outside, or what it left behind: a failure, whatever its tests did. */
  readonly misconduct?: string;
}

/** What counts nothing. */
export const empty: Report = { passed: 0, skipped: 0, failures: [], files: [] };

/** Decides what a suite counts for: a crash, a process that stays and an empty run are failures too. */
export function judge({ suite, report, exitCode, lastWords, misconduct }: SuiteEnd): SuiteResult {
  const { passed, failures, unfinished = [] } = report ?? empty;
  const during = unfinished.slice(0, 3).map((name) => `It was at: ${name}`);
  const failed = (note: string): SuiteResult =>
    failedAsWhole({ suite, note, reason: [...during, lastWords].join('\n'), report });
  if (misconduct !== undefined) return failed(misconduct);
  if (report === undefined) return failed(`ended with code ${exitCode} and left no report`);
  if (exitCode !== 0 && failures.length === 0) {
    return failed(`ended with code ${exitCode} although no test failed`);
  }
  if (unfinished.length > 0 && failures.length === 0) {
    return failed('ended before its tests did');
  }
  if (passed + failures.length === 0) return failed('ran no test');
  return { suite, ...report };
}

/** A suite, or a step before the suites, that failed without a failed test. */
export function failedAsWhole(options: {
  readonly suite: string;
  readonly note: string;
  /** Details beyond the note, if there are any. */
  readonly reason?: string;
  readonly report?: Report | undefined;
}): SuiteResult {
  const { suite, note, reason, report = empty } = options;
  const failure: Failure = { message: [note, reason].filter(Boolean).join('\n') };
  return { suite, ...report, failures: [...report.failures, failure], note };
}

/** Adds up the results of the jobs of each suite, in the order of the suites. */
export function sumUp(results: readonly SuiteResult[], order: readonly string[]): SuiteResult[] {
  const names = [...new Set([...results.map(({ suite }) => suite)])];
  const rank = (name: string): number => (order.includes(name) ? order.indexOf(name) : -1);
  return names
    .toSorted((one, other) => rank(one) - rank(other))
    .map((suite) => {
      const parts = results.filter((result) => result.suite === suite);
      const notes = [...new Set(parts.flatMap(({ note }) => note ?? []))];
      const missing = [...new Set(parts.flatMap((part) => part.missing ?? []))];
      return {
        suite,
        passed: parts.reduce((sum, { passed }) => sum + passed, 0),
        skipped: parts.reduce((sum, { skipped }) => sum + skipped, 0),
        failures: parts.flatMap(({ failures }) => failures),
        files: parts.flatMap(({ files }) => files),
        skips: parts.flatMap(({ skips = [] }) => skips),
        ...(notes.length > 0 && { note: notes.join('; ') }),
        ...(missing.length > 0 && { missing: missing.join('; ') }),
      };
    });
}
