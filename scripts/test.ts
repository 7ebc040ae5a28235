// `npm test`, `npm run test:all`, `npm run test:nightly`, `npm run test:<suite>`: prepares what is missing, runs the
// suites side by side whatever the others do, and closes with what failed, a table and one line.
//
//   node scripts/test.ts [suite…] [part of a file's name…]
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { reports, suites } from './suites.ts';
import { closingPart } from './test-report/closing-part.ts';
import { failedAsWhole, sumUp, type SuiteResult } from './test-report/suite-result.ts';
import { planJobs } from './test-run/plan.ts';
import { runTests } from './test-run/test-run.ts';
import { selections, type Selection } from './test-run/tiers.ts';
import { readUsualTimes, recordTimes } from './test-run/usual-times.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** Which tests: `push`, `all`, `rest` (what `all` has beyond `push`), `nightly`. */
    tests: { type: 'string' },
    /** Rounds of the kill tests. */
    rounds: { type: 'string' },
    /** How many jobs at the same time. */
    slots: { type: 'string' },
    /** In minutes: what runs then is ended, what has not begun fails. */
    'time-limit': { type: 'string' },
    /** Something that failed before, so that the closing line tells of it. */
    'failed-before': { type: 'string', multiple: true, default: [] },
    /** The closing part is about the run before this one too. */
    continued: { type: 'boolean', default: false },
    /** Keeps the times of this run as the usual ones. */
    'record-times': { type: 'boolean', default: false },
  },
});

const suiteNames = positionals.filter((word) => suites.some(({ name }) => name === word));
const filters = positionals.filter((word) => !suiteNames.includes(word));
const selection = selectionOf(values.tests ?? (positionals.length > 0 ? 'all' : 'push'));
const summary = path.join(reports, 'results.json');
const electronNote = path.join(reports, 'electron.json');
const slots = Number(values.slots ?? Math.max(2, availableParallelism()));

function selectionOf(word: string): Selection {
  const found = selections.find((name) => name === word);
  if (found === undefined) throw new Error(`--tests takes one of ${selections.join(', ')}`);
  return found;
}

/** The results of a run before, and a failure when there are none. */
function resultsBefore(): SuiteResult[] {
  if (!values.continued) return [];
  if (existsSync(summary)) return JSON.parse(readFileSync(summary, 'utf8')) as SuiteResult[]; // ours
  return [failedAsWhole({ suite: 'run before', note: 'it left no results' })];
}

/** Which Electron the desktop's tests ran on, where it isn't the one that ships (e2e/fixtures writes the file). */
function remarks(): string[] {
  if (!existsSync(electronNote)) return [];
  const { ran, ships } = JSON.parse(readFileSync(electronNote, 'utf8')) as Record<string, string>;
  return ran === ships ? [] : [`the desktop's tests ran on Electron ${ran}; ${ships} ships`];
}

const before = resultsBefore();
mkdirSync(reports, { recursive: true });
rmSync(summary, { force: true });
if (!values.continued) rmSync(electronNote, { force: true });
const jobs = planJobs({ selection, suiteNames, filters });
const givenUp = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => givenUp.abort());
}
if (values['time-limit'] !== undefined) {
  setTimeout(() => givenUp.abort(), Number(values['time-limit']) * 60_000).unref();
}

console.log(`${jobs.length} jobs in ${slots} slots; what they print is in .cache/test-reports`);
const begun = performance.now();
const total = jobs.length;
let done = 0;
const run = await runTests({
  jobs,
  slots,
  usual: readUsualTimes(),
  rounds: values.rounds === undefined ? undefined : Number(values.rounds),
  isCi: Boolean(process.env['CI']),
  signal: givenUp.signal,
  onResult(name, { passed, failures, note, missing }, seconds) {
    done += name.startsWith('prepare ') ? 0 : 1;
    const mark = failures.length > 0 ? '✗' : missing === undefined && passed > 0 ? '✓' : '!';
    const counts = failures.length > 0 ? `${passed} passed, ${failures.length} failed` : passed;
    const place = `[${String(done).padStart(String(total).length)}/${total}]`;
    const words = [note ?? missing, failures[0]?.name].filter(Boolean).join(': ');
    console.log(`${place} ${mark} ${name}  ${counts}  ${seconds.toFixed(1)} s  ${words}`.trimEnd());
  },
});
const results = [
  ...values['failed-before'].map((suite) =>
    failedAsWhole({ suite, note: 'failed before the tests' }),
  ),
  ...before,
  ...run.results,
];
if (jobs.length === 0)
  results.push(failedAsWhole({ suite: 'plan', note: 'no test fits the words' }));
writeFileSync(summary, JSON.stringify(results));
if (values['record-times']) {
  const suffix = selection === 'rest' ? ' (rest)' : '';
  const times = Object.entries(run.seconds).filter(([name]) => !name.startsWith('prepare '));
  recordTimes(Object.fromEntries(times.map(([name, seconds]) => [`${name}${suffix}`, seconds])));
}
const seconds = (performance.now() - begun) / 1000;
const order = suites.map(({ name }) => name);
for (const line of closingPart(sumUp(results, order), { seconds, remarks: remarks() }))
  console.log(line);
process.exitCode = results.some(({ failures }) => failures.length > 0) ? 1 : 0;
