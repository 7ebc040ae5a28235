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
/** Logs of the CI may be cut to their last hundred lines. */
const linesOfPart = 99;
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
  const others = [
    ...skipLines(results),
    '',
    ...results.flatMap(tableLines),
    ...remarks.map((remark) => `! ${remark}`),
    '',
    ...slowestLines(results),
    `took ${duration(seconds)}`,
    `${passed} passed, ${failures.length} failed`,
  ];
  return [...failureLines(failures, linesOfPart - others.length), ...others];
}

function tableLines({ suite, passed, failures, skipped, note, missing }: SuiteResult): string[] {
  if (missing !== undefined && passed + failures.length === 0) {
    return [`! ${suite.padEnd(16)} SKIPPED: ${missing}`];
  }
  // A note without a failure names what was not started.
  const mark = failures.length > 0 ? '✗' : note === undefined && passed > 0 ? '✓' : '!';
  const counts = `${passed} passed, ${failures.length} failed, ${skipped} skipped`;
  const loud = missing === undefined ? [] : [`!   in part SKIPPED: ${missing}`];
  const words = note ? ` (${oneLine(note)})` : '';
  return [`${mark} ${suite.padEnd(16)} ${counts}${words}`, ...loud];
}

/** Tests with a reason why they did not run: none of them may go unnoticed. */
function skipLines(results: readonly SuiteResult[]): string[] {
  const skips = results.flatMap(({ suite, skips = [] }) =>
    skips.map(({ name, reason }) => cut(oneLine(`- ${suite} › ${name}: ${reason}`))),
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

function failureLines(failures: readonly SuiteFailure[], limit: number): string[] {
  if (failures.length === 0) return [];
  // An empty line, the heading, the names, `… n more` of the last reason and `and n more`.
  const fixed = 2 + Math.min(named, failures.length) + 2;
  let room = Math.min(linesOfAll, limit - fixed);
  const shown = failures.slice(0, named).flatMap((failed) => {
    const reason = firstLines(reasonLines(failed.failure.message), Math.min(linesOfOne, room));
    room -= reason.length;
    return [nameLine(failed), ...reason];
  });
  const more = failures.length - named;
  return ['', '── what failed', ...shown, ...(more > 0 ? [`and ${more} more`] : [])];
}

function nameLine({ suite, failure: { file, name } }: SuiteFailure): string {
  return cut(oneLine(`✗ ${fullName(...[suite, file, name].filter((part) => part !== undefined))}`));
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

/** Names of tests may have line breaks, and a process that stayed may be a script. */
function oneLine(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/\s*[\r\n]\s*/g, ' ');
}

function cut(line: string): string {
  return line.length > longestLine ? `${line.slice(0, longestLine)}…` : line;
}
