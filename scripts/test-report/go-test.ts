// The report of `go test -json`: one event a line.
import { type Failure, fullName, type Report } from './report.ts';

interface GoEvent {
  readonly Action: string;
  readonly Package?: string;
  readonly Test?: string;
  readonly Output?: string;
  /** In seconds, of an end. */
  readonly Elapsed?: number;
  /** Of `build-output`: what is being compiled. */
  readonly ImportPath?: string;
  /** Of a package's `fail`: the import path that did not compile. */
  readonly FailedBuild?: string;
}

/** Reads one line of `go test -json`; other lines (a compiler's, for example) give undefined. */
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
export function parseGoTest(report: string): Report {
  const events = report.split('\n').flatMap((line) => parseGoEvent(line) ?? []);
  const ends = events.filter(({ Action }) => ['pass', 'fail', 'skip'].includes(Action));
  const isBelow = (event: GoEvent, other: GoEvent): boolean =>
    event.Package === other.Package &&
    event.Test !== undefined &&
    (other.Test === undefined || event.Test.startsWith(`${other.Test}/`));
  const counted = ends.filter((end) => {
    const below = ends.filter((event) => isBelow(event, end));
    if (end.Action === 'fail') return !below.some(({ Action }) => Action === 'fail');
    return end.Test !== undefined && below.length === 0;
  });
  const count = (action: string): number =>
    counted.filter(({ Action }) => Action === action).length;
  const failed = counted.filter(({ Action }) => Action === 'fail');
  return {
    passed: count('pass'),
    skipped: count('skip'),
    failures: failed.map((end) => failureOf(end, events)),
    files: ends
      .filter(({ Test }) => Test === undefined)
      .map(({ Package = '', Elapsed = 0 }) => ({ file: Package, seconds: Elapsed })),
  };
}

function failureOf(end: GoEvent, events: readonly GoEvent[]): Failure {
  const printed = events
    .filter(({ Package, Test }) => Package === end.Package && Test === end.Test)
    .map(({ Output = '' }) => Output)
    .join('');
  const compiled = events
    .filter(({ ImportPath }) => ImportPath !== undefined && ImportPath === end.FailedBuild)
    .map(({ Output = '' }) => Output)
    .join('');
  return {
    file: end.Package ?? '',
    ...(end.Test === undefined ? {} : { name: fullName(...end.Test.split('/')) }),
    // The runner's own lines only repeat the heading.
    message: (compiled + printed).replaceAll(/^(?:=== |\s*--- |FAIL\b).*\n/gm, ''),
  };
}
