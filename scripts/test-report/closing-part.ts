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

/** So many of the slowest files are named. */
const slowest = 5;
/** So many tests that did not run are named, the others counted. */
const skipsNamed = 8;

export interface ClosingNews {
  /** From the first job to the end of the last. */
  readonly seconds: number;
  /** More lines for the table: which Electron the desktop's tests ran on. */
  readonly remarks: readonly string[];
}

/** All that is printed after the last job. The last line is always `N passed, M failed`. */
export function closingPart(
  results: readonly SuiteResult[],
  { seconds, remarks }: ClosingNews,
): string[] {
  // The suites take turns, so that one with many failures leaves room for the reasons of the others.
  const failures = results
    .flatMap(({ suite, failures }) => failures.map((failure, turn) => ({ suite, failure, turn })))
    .toSorted((one, other) => one.turn - other.turn);
  const passed = results.reduce((total, result) => total + result.passed, 0);
  return [
    ...failureLines(failures),
    ...skipLines(results),
    '',
    ...results.map(tableLine),
    ...remarks.map((remark) => `! ${remark}`),
    '',
    ...slowestLines(results),
    `took ${duration(seconds)}`,
    `${passed} passed, ${failures.length} failed`,
  ];
}

function tableLine({ suite, passed, failures, skipped, note, missing }: SuiteResult): string {
  if (missing !== undefined && passed + failures.length === 0) {
    return `! ${suite.padEnd(16)} SKIPPED: ${missing}`;
  }
  const mark = failures.length > 0 ? '✗' : '✓';
  const counts = `${passed} passed, ${failures.length} failed, ${skipped} skipped`;
  const loud = missing === undefined ? '' : `\n!   in part SKIPPED: ${missing}`;
  return `${mark} ${suite.padEnd(16)} ${counts}${note ? ` (${note})` : ''}${loud}`;
}

/** Tests that say why they did not run: none of them may go unnoticed. */
function skipLines(results: readonly SuiteResult[]): string[] {
  const skips = results.flatMap(({ suite, skips = [] }) =>
    skips.map(({ name, reason }) => cut(`- ${suite} › ${name}: ${reason}`)),
  );
  if (skips.length === 0) return [];
  const more = skips.length - skipsNamed;
  const rest = more > 0 ? [`and ${more} more`] : [];
  return ['', '── what was skipped', ...skips.slice(0, skipsNamed), ...rest];
}

function slowestLines(results: readonly SuiteResult[]): string[] {
  const files = results
    .flatMap(({ files }) => files)
    .toSorted((one, other) => other.seconds - one.seconds)
    .slice(0, slowest);
  return files.length === 0
    ? []
    : [
        'slowest files',
        ...files.map(({ file, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${file}`),
      ];
}

function duration(seconds: number): string {
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
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
