// `npm test`, `npm run test:all`, `npm run test:nightly`, `npm run test:<suite>`: prepares what is missing, runs the
// suites side by side whatever the others do, and closes with what failed, a table and one line.
//
//   node scripts/test.ts [suite…] [part of a file's name…]      The flags are in test-run/options.ts.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { reports, suites } from './suites.ts';
import { closingPart } from './test-report/closing-part.ts';
import { failedAsWhole, sumUp, type SuiteResult } from './test-report/suite-result.ts';
import { lastLines } from './test-run/last-lines.ts';
import { whenNpmIsGone } from './test-run/npm-gone.ts';
import { parseOptions, type TestOptions } from './test-run/options.ts';
import { planJobs } from './test-run/plan.ts';
import { timeLeft } from './test-run/time-left.ts';
import { runTests } from './test-run/test-run.ts';
import { readUsualTimes, recordTimes } from './test-run/usual-times.ts';

const order = suites.map(({ name }) => name);
const options = readOptions();
const summary = path.join(reports, 'results.json');
const electronNote = path.join(reports, 'electron.json');

function readOptions(): TestOptions {
  try {
    return parseOptions(process.argv.slice(2), process.env, order);
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exit(2);
  }
}

/** The results of a run before, and a failure when there are none. */
function resultsBefore(): SuiteResult[] {
  if (!options.isContinued) return [];
  try {
    return JSON.parse(readFileSync(summary, 'utf8')) as SuiteResult[]; // ours
  } catch {
    return [failedAsWhole({ suite: 'run before', note: 'it left no results' })];
  }
}

/** Which Electron the desktop's tests ran on, where it isn't the one that ships (e2e/fixtures writes the file). */
function remarks(): string[] {
  if (!existsSync(electronNote)) return [];
  try {
    const { ran, ships } = JSON.parse(readFileSync(electronNote, 'utf8')) as Record<string, string>;
    return ran === ships ? [] : [`the desktop's tests ran on Electron ${ran}; ${ships} ships`];
  } catch {
    return [`${electronNote} is broken`];
  }
}

const results = [
  ...options.failedBefore.map((suite) => {
    const reason = lastLines(path.join(reports, `${suite}.log`));
    return failedAsWhole({ suite, note: 'failed before the tests', reason });
  }),
  ...resultsBefore(),
];
/** What goes wrong around the jobs is a failure too, and not the end of the closing part. */
async function guarded(suite: string, work: () => Promise<void> | void): Promise<void> {
  try {
    await work();
  } catch (error) {
    console.error(error);
    results.push(failedAsWhole({ suite, note: String(error) }));
  }
}

const givenUp = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => givenUp.abort());
}
whenNpmIsGone(() => givenUp.abort());
if (options.limitMinutes !== undefined) {
  setTimeout(() => givenUp.abort(), options.limitMinutes * 60_000).unref();
}
const begun = performance.now();
await guarded('run', async () => {
  mkdirSync(reports, { recursive: true });
  rmSync(summary, { force: true });
  if (!options.isContinued) rmSync(electronNote, { force: true });
  const jobs = planJobs(options);
  if (jobs.length === 0) {
    results.push(failedAsWhole({ suite: 'plan', note: 'no test fits the words' }));
  }
  console.log(
    `${jobs.length} jobs in ${options.slots} slots; what they print is in .cache/test-reports`,
  );
  const total = jobs.length;
  let done = 0;
  const run = await runTests({
    jobs,
    slots: options.slots,
    usual: readUsualTimes(),
    rounds: options.rounds,
    isCi: Boolean(process.env['CI']),
    signal: givenUp.signal,
    ...(options.leavesOut &&
      options.limitMinutes !== undefined && {
        timeLeft: timeLeft(begun + options.limitMinutes * 60_000),
      }),
    onResult(name, result, seconds) {
      results.push(result);
      const { passed, failures, note, missing } = result;
      done += name.startsWith('prepare ') ? 0 : 1;
      const mark = failures.length > 0 ? '✗' : missing === undefined && passed > 0 ? '✓' : '!';
      const counts = failures.length > 0 ? `${passed} passed, ${failures.length} failed` : passed;
      const progress = `[${String(done).padStart(String(total).length)}/${total}]`;
      const words = [note ?? missing, failures[0]?.name].filter(Boolean).join(': ');
      console.log(
        `${progress} ${mark} ${name}  ${counts}  ${seconds.toFixed(1)} s  ${words}`.trimEnd(),
      );
    },
  });
  if (options.recordsTimes) {
    const suffix = options.selection === 'rest' ? ' (rest)' : '';
    const times = Object.entries(run.seconds).filter(([name]) => !name.startsWith('prepare '));
    recordTimes(Object.fromEntries(times.map(([name, seconds]) => [`${name}${suffix}`, seconds])));
  }
});
await guarded('results', () => writeFileSync(summary, JSON.stringify(results)));
const seconds = (performance.now() - begun) / 1000;
for (const line of closingPart(sumUp(results, order), { seconds, remarks: remarks() })) {
  console.log(line);
}
process.exitCode = results.some(({ failures }) => failures.length > 0) ? 1 : 0;
