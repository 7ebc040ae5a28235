// Turns the machine-readable reports of the test runners into numbers that can be summed.

export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export interface SuiteResult extends Tally {
  readonly suite: string;
  /** Why a failure was counted that no test reported, or why there is nothing to count. */
  readonly note?: string;
}

export interface SuiteEnd {
  readonly suite: string;
  /** What the runner's report says; undefined when it left none. */
  readonly tally: Tally | undefined;
  /** 0 when the runner was content. */
  readonly exitCode: number;
  /** Whether a run without any test is expected. */
  readonly mayBeEmpty: boolean;
}

/** Decides what a suite counts for: a crash and an unexpectedly empty run are failures too. */
export function judge({ suite, tally, exitCode, mayBeEmpty }: SuiteEnd): SuiteResult {
  if (tally === undefined) {
    return { suite, ...oneFailure, note: `ended with code ${exitCode} and left no report` };
  }
  if (exitCode !== 0 && tally.failed === 0) {
    const note = `ended with code ${exitCode} although no test failed`;
    return { suite, ...tally, failed: 1, note };
  }
  if (tally.passed + tally.failed === 0) {
    return mayBeEmpty
      ? { suite, ...tally, note: 'no tests yet' }
      : { suite, ...tally, failed: 1, note: 'ran no test' };
  }
  return { suite, ...tally };
}

export const oneFailure: Tally = { passed: 0, failed: 1, skipped: 0 };

/** Adds tallies. */
export function sum(tallies: readonly Tally[]): Tally {
  return tallies.reduce(
    (total, { passed, failed, skipped }) => ({
      passed: total.passed + passed,
      failed: total.failed + failed,
      skipped: total.skipped + skipped,
    }),
    { passed: 0, failed: 0, skipped: 0 },
  );
}

/** The line that closes every test run. */
export function closingLine({ passed, failed }: Tally): string {
  return `${passed} passed, ${failed} failed`;
}

interface VitestReport {
  readonly testResults: readonly {
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
}

/** Reads vitest's json report. A file that failed outside its tests, say at import, is one failure. */
export function parseVitest(report: string): Tally {
  // Written by vitest's own reporter a moment ago.
  const { testResults } = JSON.parse(report) as VitestReport;
  return sum(
    testResults.map(({ status, assertionResults }) => {
      const count = (...wanted: string[]): number =>
        assertionResults.filter((result) => wanted.includes(result.status)).length;
      const tally = { passed: count('passed'), failed: count('failed') };
      const skipped = assertionResults.length - tally.passed - tally.failed;
      const brokenFile = status === 'failed' && tally.failed === 0;
      return { passed: tally.passed, failed: brokenFile ? 1 : tally.failed, skipped };
    }),
  );
}

/** Reads pytest's junit report. */
export function parseJunit(report: string): Tally {
  const suites = [...report.matchAll(/<testsuite\s([^>]*)>/g)].map(([, attributes = '']) => {
    const count = (name: string): number =>
      Number(new RegExp(`\\b${name}="(\\d+)"`).exec(attributes)?.[1] ?? 0);
    const failed = count('failures') + count('errors');
    const skipped = count('skipped');
    return { passed: count('tests') - failed - skipped, failed, skipped };
  });
  return sum(suites);
}

interface GoEvent {
  readonly Action: string;
  readonly Package?: string;
  readonly Test?: string;
  readonly Output?: string;
}

/** Reads one line of `go test -json`; other lines (a compiler's, say) answer undefined. */
export function parseGoEvent(line: string): GoEvent | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    // The line is go's own; a line that only looks like JSON lands in the catch.
    return JSON.parse(line) as GoEvent;
  } catch {
    return undefined;
  }
}

/** Reads `go test -json`. Counts tests without sub-tests; a package that failed outside its tests is one failure. */
export function parseGoTest(report: string): Tally {
  const ends = new Map<string, string>();
  const packages = new Set<string>();
  for (const line of report.split('\n')) {
    const event = parseGoEvent(line);
    if (event?.Package === undefined || !['pass', 'fail', 'skip'].includes(event.Action)) continue;
    if (event.Test !== undefined) ends.set(`${event.Package} ${event.Test}`, event.Action);
    else if (event.Action === 'fail') packages.add(event.Package);
  }
  const names = [...ends.keys()];
  const failedBelow = (prefix: string): boolean =>
    names.some((name) => name.startsWith(prefix) && ends.get(name) === 'fail');
  const isParent = (name: string): boolean => names.some((other) => other.startsWith(`${name}/`));
  const counted = names.filter(
    (name) => !isParent(name) || (ends.get(name) === 'fail' && !failedBelow(`${name}/`)),
  );
  const count = (action: string): number =>
    counted.filter((name) => ends.get(name) === action).length;
  const broken = [...packages].filter((name) => !failedBelow(`${name} `)).length;
  return { passed: count('pass'), failed: count('fail') + broken, skipped: count('skip') };
}

interface PlaywrightReport {
  readonly stats: { expected: number; unexpected: number; flaky: number; skipped: number };
  readonly errors?: readonly unknown[];
}

/** Reads Playwright's json report. A test that passed only when repeated counts as passed. */
export function parsePlaywright(report: string): Tally {
  // Written by Playwright's own reporter a moment ago.
  const { stats, errors = [] } = JSON.parse(report) as PlaywrightReport;
  return {
    passed: stats.expected + stats.flaky,
    failed: stats.unexpected + errors.length,
    skipped: stats.skipped,
  };
}
