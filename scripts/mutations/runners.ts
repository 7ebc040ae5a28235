// The command of a job, and the results of its report. As `suites.ts` has them, but for another tree, and each ends with the
// first test that fails.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { interpreterOf } from '../python-env.ts';
import { contractFolder, pythonFolder, root } from '../suites.ts';
import { parseGoTest } from '../test-report/go-test.ts';
import { parsePlaywright } from '../test-report/playwright.ts';
import { parsePytest } from '../test-report/pytest.ts';
import type { Report } from '../test-report/report.ts';
import { parseVitest } from '../test-report/vitest.ts';
import { runCommand, type Command } from '../test-run/run-job.ts';
import { playwrightFilters, pytestFilters, vitestFilters } from '../test-run/tiers.ts';
import type { Job } from './candidates.ts';

/** Tests of `npm test`, or those that only `npm run test:all` has. */
export type Tier = 'push' | 'rest';

export interface Result extends Partial<Report> {
  /** It did not end in time. */
  readonly isOver: boolean;
  readonly isFailed: boolean;
  readonly seconds: number;
}

export interface RunOptions {
  readonly folder: string;
  readonly tier: Tier;
  readonly limitMs: number;
  readonly signal: AbortSignal;
  /** Only tests of this name. */
  readonly only?: string | undefined;
}

/** What pytest ends with when no test of a file is of the tier. */
const noneCollected = 5;

interface Runner extends Pick<Command, 'command' | 'args' | 'cwd' | 'env'> {
  readonly parse: (report: string) => Report;
}

/** Runs the files of a job until one test fails, for a bounded time. Rejects when the signal fires. */
export async function runJob(job: Job, options: RunOptions): Promise<Result> {
  const { folder, limitMs, signal } = options;
  const report = path.join(folder, '.cache/report');
  const log = path.join(folder, '.cache/output.log');
  const { parse, ...command } = runnerOf(job, options, report);
  rmSync(report, { force: true });
  // Go prints its report.
  const stdout = job.suite === 'go' ? { stdout: report } : {};
  const end = await runCommand({ ...command, limitMs, log, ...stdout }, signal);
  signal.throwIfAborted();
  const read = existsSync(report) ? parse(readFileSync(report, 'utf8')) : {};
  const isOver = end.wasCutOff !== undefined;
  const isFailed =
    end.exitCode !== 0 && !(job.suite === 'python' && end.exitCode === noneCollected);
  return { ...read, isOver, isFailed, seconds: end.seconds };
}

function runnerOf(job: Job, { folder, tier, only }: RunOptions, report: string): Runner {
  const python = process.env['TEST_PYTHON'] ?? interpreterOf(pythonFolder);
  const schemathesis = path.join(path.dirname(interpreterOf(contractFolder)), 'schemathesis');
  const env = { TEST_PYTHON: python, SCHEMATHESIS: schemathesis, KILL_ROUNDS: '1' };
  // Each runner joins groups and test by something else.
  const name = only?.split(' › ').map(escaped).join('.*');
  if (job.suite === 'python') {
    const cwd = path.join(folder, 'server/guests/python');
    const files = job.files.map((file) => path.join(folder, file));
    const args = ['-m', 'pytest', '-x', '-m', pytestFilters[tier], `--junitxml=${report}`];
    return { command: python, args: [...args, ...files], cwd, env, parse: parsePytest };
  }
  if (job.suite === 'go' || job.suite === 'go-images') {
    const packages = job.files.map((file) => path.dirname(path.join(folder, file)));
    const args = ['test', '-count=1', '-json', ...new Set(packages)];
    const goEnv = { CGO_ENABLED: '0', GOFLAGS: '-trimpath' };
    const cwd = path.join(folder, 'server/native', job.suite === 'go' ? 'engine' : 'images');
    return { command: 'go', args, cwd, env: goEnv, parse: parseGoTest };
  }
  if (job.files.some((file) => file.startsWith('e2e/'))) {
    const args = [
      path.join(folder, 'node_modules/@playwright/test/cli.js'),
      ...['test', '--max-failures=1', '--pass-with-no-tests', '--reporter=list,json'],
      ...(name === undefined ? playwrightFilters[tier] : ['--grep', name]),
      ...job.files.map((file) => path.relative('e2e', file)),
    ];
    const cwd = path.join(folder, 'e2e');
    const e2eEnv = { ...env, PLAYWRIGHT_JSON_OUTPUT_NAME: report };
    return { command: process.execPath, args, cwd, env: e2eEnv, parse: parsePlaywright };
  }
  const args = [
    path.join(folder, 'node_modules/vitest/vitest.mjs'),
    ...(job.isRelated === true ? ['related', '--run'] : ['run']),
    // The studio's tests are of several projects, by what they need.
    ...(job.suite === 'ui' ? [] : [`--project=${job.suite}`]),
    ...['--bail=1', '--passWithNoTests', '--reporter=default'],
    `--reporter=${path.join(root, 'scripts/test-report/vitest-reporter.ts')}`,
    ...(hasTags(folder) ? [`--tags-filter=${vitestFilters[tier]}`] : []),
    ...(name === undefined ? [] : ['--testNamePattern', name]),
    ...job.files,
  ];
  const vitestEnv = { ...env, TEST_REPORT: report };
  return { command: process.execPath, args, cwd: folder, env: vitestEnv, parse: parseVitest };
}

/** Whether the tree distinguishes tiers: Vitest refuses tags that it does not define. */
export function hasTags(folder: string): boolean {
  return /name: 'release'/.test(readFileSync(path.join(folder, 'vitest.config.ts'), 'utf8'));
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
