// `npm test`: prepares what is missing, runs every suite whatever the others did, and closes with what failed,
// a table and one line.
// `node scripts/test.ts [suite…] [filter…]` runs some of them; filters go to the runners.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { preparePython } from './python-env.ts';
import { contractFolder, pythonFolder, reports, root, type Suite, suites } from './suites.ts';
import { closingPart } from './test-report/closing-part.ts';
import { parseGoEvent } from './test-report/go-test.ts';
import { failedAsWhole, judge, type SuiteResult } from './test-report/suite-result.ts';

const suiteLimit = 45 * 60_000;
/** Many rounds of the kill tests take hours on a busy machine. */
const nightlyLimit = 6 * 3_600_000;
/** What a runner wrote last arrives at once, but a process that it left behind may hold the pipe open for ever. */
const outputLimit = 5_000;
/** In characters, of what a runner writes to its standard error. */
const lastWordsKept = 4_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    // Rounds of the kill tests.
    rounds: { type: 'string' },
    // Something that failed before, so that the closing line tells of it.
    'failed-before': { type: 'string', multiple: true, default: [] },
  },
});
const named = suites.filter(({ name }) => positionals.includes(name));
const chosen = named.length > 0 ? named : suites;
const filters = positionals.filter((word) => !suites.some(({ name }) => name === word));

const prepared = new Map<string, boolean>();
const preparations: Readonly<Record<Suite['needs'][number], () => void>> = {
  engine: () => {
    const script = path.join(root, 'scripts/build-native.ts');
    const { status } = spawnSync(process.execPath, [script], { cwd: root, stdio: 'inherit' });
    if (status !== 0) throw new Error(`scripts/build-native.ts ended with code ${status}`);
  },
  python: () => {
    const requirements = [path.join(root, 'server/guests/python/requirements-dev.txt')];
    preparePython({ folder: pythonFolder, requirements });
  },
  contract: () => {
    const requirements = [path.join(root, 'server/test/contract/requirements.txt')];
    preparePython({ folder: contractFolder, requirements });
  },
};

/** Makes what a suite needs, once; answers a failure to count when that did not work. */
function prepare(suite: Suite): SuiteResult[] {
  return suite.needs
    .filter((need) => !prepared.has(need))
    .flatMap((need) => {
      try {
        preparations[need]();
        prepared.set(need, true);
        return [];
      } catch (error) {
        prepared.set(need, false);
        console.error(error);
        return [failedAsWhole({ suite: `prepare ${need}`, note: String(error) })];
      }
    });
}

function readReport(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** Runs one suite with its progress on the terminal. */
async function run(suite: Suite): Promise<SuiteResult> {
  // What an earlier run left must not be taken for this one's.
  if (suite.report !== undefined) rmSync(suite.report, { force: true });
  const child = spawn(suite.command, [...suite.args, ...filters], {
    cwd: suite.cwd,
    env: {
      ...process.env,
      ...suite.env,
      ...(values.rounds === undefined ? {} : { KILL_ROUNDS: values.rounds }),
    },
    stdio: ['ignore', suite.report === undefined ? 'pipe' : 'inherit', 'pipe'],
  });
  const limit = values.rounds === undefined ? suiteLimit : nightlyLimit;
  const timer = setTimeout(() => child.kill('SIGKILL'), limit);
  const events: string[] = [];
  if (child.stdout !== null) {
    createInterface({ input: child.stdout }).on('line', (line) => {
      events.push(line);
      showGoEvent(line);
    });
  }
  let lastWords = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    process.stderr.write(text);
    lastWords = (lastWords + text).slice(-lastWordsKept);
  });
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const exitCode = await new Promise<number>((resolve) => {
    child.once('error', (error) => {
      lastWords = `${suite.command} cannot be started: ${error.message}`;
      console.error(lastWords);
      resolve(127);
    });
    child.once('exit', (code) => resolve(code ?? 137));
  });
  clearTimeout(timer);
  await Promise.race([closed, delay(outputLimit, undefined, { ref: false })]);
  child.stderr?.destroy();
  const report = suite.report === undefined ? events.join('\n') : readReport(suite.report);
  return judge({
    suite: suite.name,
    report: report === undefined ? undefined : suite.parse(report),
    exitCode,
    lastWords,
    mayBeEmpty: suite.mayBeEmpty,
  });
}

const goOutput = new Map<string, string>();

/** Shows one line for each finished go test, and all it printed when it failed. */
function showGoEvent(line: string): void {
  const event = parseGoEvent(line);
  if (event === undefined) return console.log(line);
  const name = `${event.Package ?? ''} ${event.Test ?? ''}`;
  if (event.Output !== undefined) {
    if (event.Package === undefined) process.stdout.write(event.Output);
    goOutput.set(name, (goOutput.get(name) ?? '') + event.Output);
  }
  const failed = event.Action === 'fail';
  if (failed) process.stdout.write(goOutput.get(name) ?? '');
  if (event.Test !== undefined && (failed || event.Action === 'pass' || event.Action === 'skip')) {
    console.log(`${failed ? '✗' : event.Action === 'skip' ? '-' : '✓'} ${name}`);
  }
}

mkdirSync(reports, { recursive: true });
const results: SuiteResult[] = values['failed-before'].map((suite) =>
  failedAsWhole({ suite, note: 'failed before the tests' }),
);
for (const suite of chosen) {
  console.log(`\n── ${suite.name}`);
  results.push(...prepare(suite));
  const started = performance.now();
  const result = await run(suite);
  results.push(result);
  console.log(`   ${suite.name} took ${((performance.now() - started) / 1000).toFixed(1)} s`);
}
for (const line of closingPart(results)) console.log(line);
process.exitCode = results.some(({ failures }) => failures.length > 0) ? 1 : 0;
