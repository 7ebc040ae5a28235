// The command of a job, and what its report says.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { interpreterOf } from '../python-env.ts';
import { contractFolder, pythonFolder } from '../suites.ts';
import { parseGoTest } from '../test-report/go-test.ts';
import { parseJunit } from '../test-report/junit.ts';
import { parsePlaywright } from '../test-report/playwright.ts';
import type { Report } from '../test-report/report.ts';
import { runBounded, type Command } from './bounded.ts';
import type { Job } from './candidates.ts';

/** Tests of `npm test`, or those that only the longer commands have. */
export type Tier = 'every push' | 'release';

export interface Result extends Partial<Report> {
  readonly isOver: boolean;
  readonly isFailed: boolean;
  readonly seconds: number;
}

interface Runner {
  readonly command: Pick<Command, 'program' | 'args' | 'cwd' | 'env'>;
  readonly report: string;
  readonly parse: (report: string) => Report;
}

export interface RunOptions {
  readonly folder: string;
  readonly tier: Tier;
  readonly limitMs: number;
  readonly signal: AbortSignal;
  /** Only tests of this name. */
  readonly only?: string | undefined;
}

/** Runs the files of a job until one test fails, for a bounded time. */
export async function runJob(job: Job, options: RunOptions): Promise<Result> {
  const { command, report, parse } = runnerOf(job, options);
  const logFile = path.join(options.folder, '.cache/output.log');
  rmSync(report, { force: true });
  const began = performance.now();
  const { limitMs, signal } = options;
  const { code, isOver } = await runBounded({ ...command, limitMs, logFile, signal });
  const seconds = (performance.now() - began) / 1000;
  // Go prints its report.
  const file = job.suite === 'go' ? logFile : report;
  const read = existsSync(file) ? parse(readFileSync(file, 'utf8')) : {};
  return { ...read, isOver, isFailed: code !== 0, seconds };
}

function runnerOf(job: Job, { folder, tier, only }: RunOptions): Runner {
  const python = process.env['TEST_PYTHON'] ?? interpreterOf(pythonFolder);
  const schemathesis = path.join(path.dirname(interpreterOf(contractFolder)), 'schemathesis');
  const env = { TEST_PYTHON: python, SCHEMATHESIS: schemathesis, KILL_ROUNDS: '1' };
  const reportOf = (kind: string): string => path.join(folder, `.cache/report.${kind}`);
  const isLong = tier === 'release';
  const pattern = only === undefined ? undefined : escaped(only.replaceAll(' › ', ' '));
  if (job.suite === 'python') {
    const guest = path.join(folder, 'server/guests/python');
    const files = job.files.map((file) => path.relative(guest, path.join(folder, file)));
    const marks = ['-m', isLong ? 'release or nightly' : 'not release and not nightly'];
    const args = ['-m', 'pytest', '-x', `--junitxml=${reportOf('xml')}`, ...marks, ...files];
    return {
      command: { program: python, args, cwd: guest, env },
      report: reportOf('xml'),
      parse: parseJunit,
    };
  }
  if (job.suite === 'go') {
    const packages = job.files.map((file) => path.dirname(path.join(folder, file)));
    const args = ['test', '-count=1', '-json', ...new Set(packages)];
    const goEnv = { ...env, CGO_ENABLED: '0', GOFLAGS: '-trimpath' };
    const cwd = path.join(folder, 'server/native/engine');
    return {
      command: { program: 'go', args, cwd, env: goEnv },
      report: reportOf('jsonl'),
      parse: parseGoTest,
    };
  }
  if (job.files.some((file) => file.startsWith('e2e/'))) {
    const files = job.files.map((file) => path.relative('e2e', file));
    const grep = [isLong ? '--grep' : '--grep-invert', '@release|@nightly'];
    const names = pattern === undefined ? grep : ['--grep', pattern];
    const program = process.execPath;
    const cli = path.join(folder, 'node_modules/@playwright/test/cli.js');
    const args = [cli, 'test', '--max-failures=1', '--reporter=list,json', ...names, ...files];
    const e2eEnv = { ...env, PLAYWRIGHT_JSON_OUTPUT_NAME: reportOf('json') };
    return {
      command: { program, args, cwd: path.join(folder, 'e2e'), env: e2eEnv },
      report: reportOf('json'),
      parse: parsePlaywright,
    };
  }
  const args = [
    path.join(folder, 'node_modules/vitest/vitest.mjs'),
    ...(job.isRelated === true ? ['related', '--run'] : ['run']),
    ...['--project', job.suite, '--bail=1', '--passWithNoTests'],
    ...['--reporter=default', '--reporter=junit', `--outputFile.junit=${reportOf('xml')}`],
    ...tagFilter(folder, isLong),
    ...(pattern === undefined ? [] : ['--testNamePattern', pattern]),
    ...job.files,
  ];
  return {
    command: { program: process.execPath, args, cwd: folder, env },
    report: reportOf('xml'),
    parse: parseJunit,
  };
}

/** Whether the tree tells tiers apart. */
export function hasTags(folder: string): boolean {
  return /name: 'release'/.test(readFileSync(path.join(folder, 'vitest.config.ts'), 'utf8'));
}

/** Vitest refuses tags that the tree does not define. */
function tagFilter(folder: string, isLong: boolean): string[] {
  if (!hasTags(folder)) return [];
  return [`--tagsFilter=${isLong ? 'release || nightly' : '!release && !nightly'}`];
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
