// The suites of `npm test`, in the order they run: quick ones first.
import { globSync } from 'node:fs';
import path from 'node:path';
import { interpreterOf } from './python-env.ts';
import { parseGoTest } from './test-report/go-test.ts';
import { parseJunit } from './test-report/junit.ts';
import { parsePlaywright } from './test-report/playwright.ts';
import type { Report } from './test-report/report.ts';

export const root = path.resolve(import.meta.dirname, '..');
export const pythonFolder = path.join(root, '.cache/venv');
/** The environment of what generates requests from the document (server/test/contract). */
export const contractFolder = path.join(root, '.cache/contract');
export const reports = path.join(root, '.cache/test-reports');

export interface Suite {
  readonly name: string;
  /** What must be there before the suite starts; made once, when the first suite asks. */
  readonly needs: readonly ('engine' | 'python' | 'contract')[];
  /** The suite has no tests until its part of the product exists. */
  readonly mayBeEmpty: boolean;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Where the runner leaves its report; without one, what it prints is the report. */
  readonly report?: string;
  readonly parse: (report: string) => Report;
}

function vitest(name: string, options: Partial<Pick<Suite, 'needs'>> = {}): Suite {
  const report = path.join(reports, `${name}.xml`);
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
      '--reporter=junit',
      `--outputFile.junit=${report}`,
    ],
    cwd: root,
    env: {
      TEST_PYTHON: interpreterOf(pythonFolder),
      SCHEMATHESIS: path.join(path.dirname(interpreterOf(contractFolder)), 'schemathesis'),
    },
    report,
    parse: parseJunit,
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
    report,
    parse: parseJunit,
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
    // As the build does it: so both share what Go compiled, which is minutes of work.
    env: { CGO_ENABLED: '0', GOFLAGS: '-trimpath' },
    parse: parseGoTest,
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
    env: { PLAYWRIGHT_JSON_OUTPUT_NAME: report, TEST_PYTHON: interpreterOf(pythonFolder) },
    report,
    parse: parsePlaywright,
  };
}

const everything = ['engine', 'python'] as const;

export const suites: readonly Suite[] = [
  vitest('unit'),
  vitest('ui'),
  vitest('guest-js'),
  python(),
  go('go', 'server/native/engine'),
  vitest('integration', { needs: everything }),
  vitest('spec', { needs: everything }),
  vitest('package', { needs: everything }),
  vitest('contract', { needs: [...everything, 'contract'] }),
  vitest('kill', { needs: everything }),
  e2e(),
];
