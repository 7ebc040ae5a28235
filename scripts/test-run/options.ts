// What was typed behind `npm test --`. Anything that can't be meant is an error with a sentence.
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { selections, type Selection } from './tiers.ts';

/** Longer timers fire at once. */
const LONGEST_MINUTES = Math.floor((2 ** 31 - 1) / 60_000);

const flags = {
  /** Which tests: `push`, `all`, `rest` (what `all` has beyond `push`), `nightly`. */
  tests: { type: 'string' },
  /** Rounds of the kill tests. */
  rounds: { type: 'string' },
  /** How many jobs at the same time. */
  slots: { type: 'string' },
  /** In minutes: what runs then is ended, what has not begun fails. */
  'time-limit': { type: 'string' },
  /** With a time limit: what would not end in it does not begin, and is reported as skipped. */
  'leave-out': { type: 'boolean' },
  /** Something that failed before, so that the closing line reports it. */
  'failed-before': { type: 'string', multiple: true },
  /** The closing part is about the run before this one too. */
  continued: { type: 'boolean' },
  /** Keeps the times of this run as the usual ones. */
  'record-times': { type: 'boolean' },
} as const;

export interface TestOptions {
  readonly selection: Selection;
  readonly suiteNames: readonly string[];
  readonly filters: readonly string[];
  readonly rounds: number | undefined;
  readonly slots: number;
  readonly limitMinutes: number | undefined;
  readonly leavesOut: boolean;
  readonly failedBefore: readonly string[];
  readonly isContinued: boolean;
  readonly recordsTimes: boolean;
}

/** Reads the words. Throws an error whose message is for the person who typed them. */
export function parseOptions(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  suites: readonly string[],
): TestOptions {
  for (const name of Object.keys(flags)) {
    // npm keeps flags for itself that do not follow `--`.
    const value = env[`npm_config_${name.replaceAll('-', '_')}`];
    if (value !== undefined) throw new Error(`npm took --${name}: write it behind --`);
  }
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: flags,
  });
  const suiteNames = positionals.filter((word) => suites.includes(word));
  const filters = positionals.filter((word) => !suites.includes(word));
  const selection = selectionOf(values.tests ?? (positionals.length > 0 ? 'all' : 'push'));
  const recordsTimes = values['record-times'] ?? false;
  if (recordsTimes && (filters.length > 0 || !['push', 'rest'].includes(selection))) {
    throw new Error('--record-times needs whole suites, and --tests push or --tests rest');
  }
  const limit = numberOf('time-limit', values['time-limit'], 0);
  return {
    selection,
    suiteNames,
    filters,
    rounds: wholeOf('rounds', values.rounds),
    slots: wholeOf('slots', values.slots) ?? Math.max(2, availableParallelism()),
    limitMinutes: limit === undefined ? undefined : Math.min(limit, LONGEST_MINUTES),
    leavesOut: values['leave-out'] ?? false,
    failedBefore: values['failed-before'] ?? [],
    isContinued: values.continued ?? false,
    recordsTimes,
  };
}

function selectionOf(word: string): Selection {
  const found = selections.find((name) => name === word);
  if (found === undefined) throw new Error(`--tests takes one of ${selections.join(', ')}`);
  return found;
}

function wholeOf(flag: string, text: string | undefined): number | undefined {
  const number = numberOf(flag, text, 1);
  if (number === undefined || Number.isInteger(number)) return number;
  throw new Error(`--${flag} takes a whole number`);
}

function numberOf(flag: string, text: string | undefined, least: number): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (text.trim() !== '' && number >= least && Number.isFinite(number)) return number;
  throw new Error(`--${flag} takes a number, at least ${least}`);
}
