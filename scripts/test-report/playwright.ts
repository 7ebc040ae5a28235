// The JSON report of Playwright: suites in suites, each with its specs, each run once for each project and retry.
import { type Failure, filesOf, fullName, type Report, type SlowFile } from './report.ts';

interface PlaywrightReport {
  readonly stats: { expected: number; flaky: number; skipped: number };
  readonly suites: readonly PlaywrightSuite[];
  /** What failed outside of tests: a file that cannot be loaded, the global setup. */
  readonly errors: readonly PlaywrightError[];
}

interface PlaywrightSuite {
  readonly title: string;
  readonly specs: readonly PlaywrightSpec[];
  readonly suites?: readonly PlaywrightSuite[];
}

interface PlaywrightSpec {
  readonly title: string;
  readonly file: string;
  readonly tests: readonly {
    readonly status: string;
    readonly results: readonly {
      /** In milliseconds. */
      readonly duration?: number;
      readonly errors: readonly PlaywrightError[];
    }[];
  }[];
}

interface PlaywrightError {
  readonly message?: string;
}

/** Reads Playwright's json report. A test that passed only when repeated counts as passed. */
export function parsePlaywright(report: string): Report {
  // Written by Playwright's own reporter just before.
  const { stats, suites, errors } = JSON.parse(report) as PlaywrightReport;
  return {
    passed: stats.expected + stats.flaky,
    skipped: stats.skipped,
    failures: [
      // The outermost suites are the files, which the specs name too.
      ...suites.flatMap((file) => failuresOf(file, [])),
      ...errors.map((error) => ({ message: reasonOf([error]) })),
    ],
    files: filesOf(suites.flatMap(timesOf)),
  };
}

function timesOf({ specs, suites = [] }: PlaywrightSuite): SlowFile[] {
  return [
    ...specs.flatMap(({ file, tests }) =>
      tests.flatMap(({ results }) =>
        results.map(({ duration = 0 }) => ({ file, seconds: duration / 1000 })),
      ),
    ),
    ...suites.flatMap(timesOf),
  ];
}

function failuresOf({ specs, suites = [] }: PlaywrightSuite, groups: readonly string[]): Failure[] {
  return [
    ...specs.flatMap(({ title, file, tests }) =>
      tests
        .filter(({ status }) => status === 'unexpected')
        .map(({ results }) => ({
          file,
          name: fullName(...groups, title),
          message: reasonOf(results.at(-1)?.errors ?? []),
        })),
    ),
    ...suites.flatMap((suite) => failuresOf(suite, [...groups, suite.title])),
  ];
}

/** The messages carry the lines of source around the failure. A test that should have failed has none. */
function reasonOf(errors: readonly PlaywrightError[]): string {
  const messages = errors.flatMap(({ message }) => message ?? []);
  return messages.length > 0 ? messages.join('\n') : 'passed, but was expected to fail';
}
