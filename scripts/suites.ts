// The suites of `npm test`, in the order they run: quick ones first.
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { interpreterOf } from './python-env.ts';
import {
  parseGoTest,
  parseJunit,
  parsePlaywright,
  parseVitest,
  type Tally,
} from './test-report.ts';

export const root = path.resolve(import.meta.dirname, '..');
export const pythonFolder = path.join(root, '.cache/venv');
export const reports = path.join(root, '.cache/test-reports');

export interface Suite {
  readonly name: string;
  /** What must be there before the suite starts; made once, when the first suite asks. */
  readonly needs: readonly ('engine' | 'python')[];
  /** The suite has no tests until its part of the product exists. */
  readonly mayBeEmpty: boolean;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The runner prints a report for machines instead of progress for people. */
  readonly printsEvents?: boolean;
  /** Reads what the runner left; undefined when it left nothing. */
  readonly read: (events: readonly string[]) => Tally | undefined;
}

function readReport(file: string, parse: (text: string) => Tally): Tally | undefined {
  return existsSync(file) ? parse(readFileSync(file, 'utf8')) : undefined;
}

function vitest(name: string, options: Partial<Pick<Suite, 'needs' | 'mayBeEmpty'>> = {}): Suite {
  const report = path.join(reports, `${name}.json`);
  return {
    name,
    needs: [],
    mayBeEmpty: false,
    ...options,
    // Not npx: the tests must run on the Node that runs this script.
    command: process.execPath,
    args: [
      path.join(root, 'node_modules/vitest/vitest.mjs'),
      'run',
      '--project',
      name,
      '--passWithNoTests',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
    ],
    cwd: root,
    env: { TEST_PYTHON: interpreterOf(pythonFolder) },
    read: () => readReport(report, parseVitest),
  };
}

function python(): Suite {
  const report = path.join(reports, 'python.xml');
  return {
    name: 'python',
    needs: ['python'],
    mayBeEmpty: false,
    command: interpreterOf(pythonFolder),
    args: ['-m', 'pytest', '-v', `--junitxml=${report}`],
    cwd: path.join(root, 'server/guests/python'),
    read: () => readReport(report, parseJunit),
  };
}

function go(name: string, folder: string): Suite {
  return {
    name,
    needs: [],
    mayBeEmpty: false,
    command: 'go',
    args: ['test', '-json', './...'],
    cwd: path.join(root, folder),
    printsEvents: true,
    read: (events) => (events.length === 0 ? undefined : parseGoTest(events)),
  };
}

function e2e(): Suite {
  const report = path.join(reports, 'e2e.json');
  return {
    name: 'e2e',
    needs: ['engine', 'python'],
    mayBeEmpty: globSync('e2e/**/*.spec.ts', { cwd: root }).length === 0,
    command: process.execPath,
    args: [
      path.join(root, 'node_modules/@playwright/test/cli.js'),
      'test',
      '--pass-with-no-tests',
      '--reporter=list,json',
    ],
    cwd: path.join(root, 'e2e'),
    env: { PLAYWRIGHT_JSON_OUTPUT_NAME: report },
    read: () => readReport(report, parsePlaywright),
  };
}

const everything = ['engine', 'python'] as const;

export const suites: readonly Suite[] = [
  vitest('unit'),
  vitest('ui', { mayBeEmpty: true }),
  vitest('guest-js'),
  python(),
  go('go', 'server/native/engine'),
  vitest('integration', { needs: everything }),
  vitest('spec', { needs: everything }),
  vitest('kill', { needs: everything }),
  e2e(),
];
