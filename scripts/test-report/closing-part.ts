// The last screen of a test run. Logs of the CI may be cut to their last hundred lines, so it fits into those:
// what failed and why, the table of suites, and the line that sums them up.
import { stripVTControlCharacters } from 'node:util';
import { type Failure, fullName } from './report.ts';
import type { SuiteResult } from './suite-result.ts';

/** So many failures are named, the others counted. */
const named = 20;
/** The lines that one reason may have, and all together: when these are used up, the next failures are only named. */
const linesOfOne = 20;
const linesOfAll = 56;
/** In characters: some values are printed on one endless line. */
const longestLine = 200;

/** All that is printed after the last suite. The last line is always `N passed, M failed`. */
export function closingPart(results: readonly SuiteResult[]): string[] {
  // The suites take turns, so that one with many failures leaves room for the reasons of the others.
  const failures = results
    .flatMap(({ suite, failures }) => failures.map((failure, turn) => ({ suite, failure, turn })))
    .toSorted((one, other) => one.turn - other.turn);
  const passed = results.reduce((total, result) => total + result.passed, 0);
  return [
    ...failureLines(failures),
    '',
    ...results.map(tableLine),
    `${passed} passed, ${failures.length} failed`,
  ];
}

function tableLine({ suite, passed, failures, skipped, note }: SuiteResult): string {
  const mark = failures.length > 0 ? '✗' : '✓';
  const counts = `${passed} passed, ${failures.length} failed, ${skipped} skipped`;
  return `${mark} ${suite.padEnd(16)} ${counts}${note ? ` (${note})` : ''}`;
}

interface SuiteFailure {
  readonly suite: string;
  readonly failure: Failure;
}

function failureLines(failures: readonly SuiteFailure[]): string[] {
  if (failures.length === 0) return [];
  let room = linesOfAll;
  const shown = failures.slice(0, named).flatMap((failed) => {
    const reason = firstLines(reasonLines(failed.failure.message), Math.min(linesOfOne, room));
    room -= reason.length;
    return [nameLine(failed), ...reason];
  });
  const more = failures.length - named;
  return ['', '── what failed', ...shown, ...(more > 0 ? [`and ${more} more`] : [])];
}

function nameLine({ suite, failure: { file, name } }: SuiteFailure): string {
  return cut(`✗ ${fullName(...[suite, file, name].filter((part) => part !== undefined))}`);
}

/** A reason without colours and empty lines. */
function reasonLines(message: string): string[] {
  return stripVTControlCharacters(message)
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .map((line) => cut(`    ${line}`));
}

function firstLines(lines: readonly string[], limit: number): string[] {
  if (limit <= 0) return [];
  const more = lines.length - limit;
  return more > 0 ? [...lines.slice(0, limit), `    … ${more} more`] : [...lines];
}

function cut(line: string): string {
  return line.length > longestLine ? `${line.slice(0, longestLine)}…` : line;
}
