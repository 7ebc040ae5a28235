// `npm test`: prepares what is missing, runs every suite whatever the others did, and closes with one line.
// `node scripts/test.ts [suite…] [filter…]` runs some of them; filters go to the runners.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { preparePython } from './python-env.ts';
import { contractFolder, pythonFolder, reports, root, type Suite, suites } from './suites.ts';
import {
  closingLine,
  judge,
  oneFailure,
  parseGoEvent,
  sum,
  type SuiteResult,
} from './test-report.ts';

const suiteLimit = 45 * 60_000;
/** Many rounds of the kill tests take hours on a busy machine. */
const nightlyLimit = 6 * 3_600_000;

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
        return [{ suite: `prepare ${need}`, ...oneFailure, note: String(error) }];
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
    stdio: ['ignore', suite.report === undefined ? 'pipe' : 'inherit', 'inherit'],
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
  const exitCode = await new Promise<number>((resolve) => {
    child.once('error', (error) => {
      console.error(`${suite.command} cannot be started: ${error.message}`);
      resolve(127);
    });
    child.once('close', (code) => resolve(code ?? 137));
  });
  clearTimeout(timer);
  const report = suite.report === undefined ? events.join('\n') : readReport(suite.report);
  return judge({
    suite: suite.name,
    tally: report === undefined ? undefined : suite.parse(report),
    exitCode,
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
const results: SuiteResult[] = values['failed-before'].map((name) => ({
  suite: name,
  ...oneFailure,
  note: 'failed before the tests',
}));
for (const suite of chosen) {
  console.log(`\n── ${suite.name}`);
  results.push(...prepare(suite));
  const started = performance.now();
  const result = await run(suite);
  results.push(result);
  console.log(`   ${suite.name} took ${((performance.now() - started) / 1000).toFixed(1)} s`);
}
console.log('');
for (const { suite, passed, failed, skipped, note } of results) {
  const counts = `${passed} passed, ${failed} failed, ${skipped} skipped`;
  console.log(`${failed > 0 ? '✗' : '✓'} ${suite.padEnd(16)} ${counts}${note ? ` (${note})` : ''}`);
}
const total = sum(results);
console.log(closingLine(total));
process.exitCode = total.failed > 0 ? 1 : 0;
