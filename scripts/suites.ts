// The suites: where their files are, what they need, and the command that runs some of them.
import path from 'node:path';
import { interpreterOf } from './python-env.ts';
import { parseGoTest } from './test-report/go-test.ts';
import { parsePlaywright } from './test-report/playwright.ts';
import { parsePytest } from './test-report/pytest.ts';
import type { Report } from './test-report/report.ts';
import { parseVitest } from './test-report/vitest.ts';
import {
  killRounds,
  playwrightFilters,
  pytestFilters,
  vitestFilters,
  type Selection,
} from './test-run/tiers.ts';

export const root = path.resolve(import.meta.dirname, '..');
export const pythonFolder = path.join(root, '.cache/venv');
/** The environment of what generates requests from the document (server/test/contract). */
export const contractFolder = path.join(root, '.cache/contract');
/** The environments of LangGraph's own servers (server/test/compare). */
export const compareFolder = path.join(root, '.cache/compare/python');
export const comparePackages = path.join(root, '.cache/compare/javascript');
/** CopilotKit's adapter, which is a client of both. */
export const adapterPackages = path.join(root, '.cache/compare/copilotkit');
/** The root trees that guests in sandboxes have (scripts/prepare-guest-root.ts). */
export const guestRootFolder = path.join(root, '.cache/guest-root');
/** Without Node, which is half of it: for images that are packed, pulled and unpacked. */
export const pythonRootTree = path.join(guestRootFolder, 'python-tree');
export const reports = path.join(root, '.cache/test-reports');

/** What is made before the first job that needs it. */
export type Preparation =
  | 'engine'
  | 'images'
  | 'policy'
  | 'opa'
  | 'python'
  | 'contract'
  | 'compare'
  | 'packages'
  | 'guest-root'
  | 'build';

export interface Suite {
  readonly name: string;
  /** Globs from the root of the project. */
  readonly files: readonly string[];
  readonly exclude?: readonly string[];
  /** What is one job: the whole suite, each file (it owns its ports, folders and processes), or the files of a folder. */
  readonly job: 'suite' | 'file' | 'folder';
  /** Half of the slots are given to its workers, all when it is the only job. */
  readonly hasWorkers?: boolean;
  /** Files may add needs by `@needs` comments. */
  readonly needs: readonly Preparation[];
  /** Parts of the machine that npm does not install (`test-run/machine-parts.ts`). */
  readonly parts?: (job: string) => readonly string[];
  /** Its tests of the other commands are part of the nightly run too, with more rounds or other seeds. */
  readonly isRepeatedNightly?: boolean;
  readonly invocation: (run: Invocation) => RunnerCommand;
  readonly parse: (report: string) => Report;
}

/** One run of a runner. */
export interface Invocation {
  readonly name: string;
  readonly selection: Selection;
  /** Only these; undefined means all of the suite. */
  readonly files: readonly string[] | undefined;
  readonly workers: number;
  readonly rounds: number | undefined;
  /** Where the report is to be. */
  readonly report: string;
}

export interface RunnerCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The standard output is the report. */
  readonly printsReport?: boolean;
}

interface VitestSuite extends Pick<Suite, 'name' | 'files' | 'job'> {
  readonly exclude?: readonly string[];
  readonly needs?: Suite['needs'];
  readonly hasWorkers?: boolean;
  readonly isRepeatedNightly?: boolean;
}

function vitest({ needs = [], ...suite }: VitestSuite): Suite {
  return {
    ...suite,
    needs,
    invocation: ({ selection, files = [], workers, rounds, report }) => ({
      // Not npx: the tests must run on the Node that runs this script.
      command: process.execPath,
      args: [
        path.join(root, 'node_modules/vitest/vitest.mjs'),
        'run',
        `--project=${suite.name}`,
        `--tags-filter=${vitestFilters[selection]}`,
        `--maxWorkers=${workers}`,
        '--reporter=default',
        `--reporter=${path.join(root, 'scripts/test-report/vitest-reporter.ts')}`,
        ...files,
      ],
      cwd: root,
      env: {
        TEST_REPORT: report,
        TEST_SELECTION: selection,
        TEST_PYTHON: interpreterOf(pythonFolder),
        COMPARE_PYTHON: interpreterOf(compareFolder),
        COMPARE_NODE_MODULES: path.join(comparePackages, 'node_modules'),
        ADAPTER_NODE_MODULES: path.join(adapterPackages, 'node_modules'),
        SCHEMATHESIS: path.join(path.dirname(interpreterOf(contractFolder)), 'schemathesis'),
        KILL_ROUNDS: String(rounds ?? killRounds[selection]),
        // At night other requests are generated than on the days before; a failure names the seed.
        ...(selection === 'every' && { SCHEMATHESIS_SEED: String(Date.now() % 1_000_000) }),
      },
    }),
    parse: parseVitest,
  };
}

const python: Suite = {
  name: 'python',
  files: ['server/guests/python/tests/test_*.py'],
  job: 'suite',
  needs: ['python'],
  invocation: ({ selection, files = ['server/guests/python/tests'], report }) => ({
    command: interpreterOf(pythonFolder),
    args: [
      ...['-m', 'pytest', '-v', '-m', pytestFilters[selection], `--junitxml=${report}`],
      ...files.map((file) => path.join(root, file)),
    ],
    cwd: path.join(root, 'server/guests/python'),
  }),
  parse: parsePytest,
};

/** The tests of one Go program. */
function go(name: string, program: 'engine' | 'images'): Suite {
  return {
    name,
    files: [`server/native/${program}/**/*_test.go`],
    job: 'suite',
    // The build compiles what these tests link; beside it they would compile it once more.
    needs: [program],
    parts: () => ['go'],
    invocation: () => ({
      command: 'go',
      args: ['test', '-json', './...'],
      cwd: path.join(root, 'server/native', program),
      // As the build does it: so both share what Go compiled, which is minutes of work.
      env: { CGO_ENABLED: '0', GOFLAGS: '-trimpath' },
      printsReport: true,
    }),
    parse: parseGoTest,
  };
}

const e2e: Suite = {
  name: 'e2e',
  files: ['e2e/*/**/*.spec.ts'],
  job: 'folder',
  needs: ['engine', 'python', 'build'],
  parts: (job) => (job === 'e2e/studio' ? ['chromium'] : ['screen']),
  invocation: ({ name, selection, files = [], report }) => ({
    command: process.execPath,
    args: [
      path.join(root, 'node_modules/@playwright/test/cli.js'),
      ...['test', `--project=${path.basename(name)}`, '--reporter=list,json'],
      ...playwrightFilters[selection],
      ...files.map((file) => path.relative('e2e', file)),
    ],
    cwd: path.join(root, 'e2e'),
    env: {
      PLAYWRIGHT_JSON_OUTPUT_NAME: report,
      TEST_PYTHON: interpreterOf(pythonFolder),
      E2E_BUILT: '1',
    },
  }),
  parse: parsePlaywright,
};

const everything = ['engine', 'python'] as const;

/** In the order of the closing table. */
export const suites: readonly Suite[] = [
  vitest({
    name: 'unit',
    files: ['{server/src,scripts,electron/src,renderer/src}/**/*.test.ts'],
    exclude: ['renderer/src/**/*.dom.test.ts'],
    job: 'suite',
    hasWorkers: true,
  }),
  vitest({
    name: 'ui',
    files: ['renderer/src/**/*.test.tsx', 'renderer/src/**/*.dom.test.ts'],
    job: 'suite',
    hasWorkers: true,
  }),
  vitest({ name: 'guest-js', files: ['server/guests/js/**/*.test.ts'], job: 'suite' }),
  python,
  go('go', 'engine'),
  go('go-images', 'images'),
  vitest({
    name: 'spec',
    files: ['server/test/spec/*.test.ts'],
    job: 'suite',
    needs: everything,
  }),
  vitest({
    name: 'service',
    files: ['server/test/service/*.test.ts'],
    job: 'suite',
    needs: everything,
  }),
  vitest({
    name: 'engine',
    files: ['server/test/engine/*.test.ts'],
    job: 'suite',
    needs: everything,
  }),
  vitest({
    name: 'integration',
    files: ['server/test/integration/**/*.test.ts'],
    job: 'file',
    needs: everything,
  }),
  vitest({
    name: 'kill',
    files: ['server/test/kill/*.test.ts'],
    job: 'file',
    needs: everything,
    isRepeatedNightly: true,
  }),
  vitest({
    name: 'contract',
    files: ['server/test/contract/*.test.ts'],
    job: 'file',
    isRepeatedNightly: true,
  }),
  vitest({
    name: 'compare',
    files: ['server/test/compare/*.test.ts'],
    job: 'file',
    needs: ['engine', 'compare', 'packages'],
  }),
  vitest({
    name: 'package',
    files: ['server/test/package/*.test.ts'],
    job: 'file',
    needs: everything,
  }),
  e2e,
];

export interface PreparationStep {
  readonly command: string;
  readonly args: readonly string[];
  readonly parts: readonly string[];
  readonly after: readonly Preparation[];
}

/** The commands that make what suites need. Each does nothing when it was done before. */
export const preparations: Readonly<Record<Preparation, PreparationStep>> = {
  engine: {
    command: process.execPath,
    args: ['scripts/build-native.ts', 'engine'],
    parts: ['go'],
    after: [],
  },
  images: {
    command: process.execPath,
    args: ['scripts/build-native.ts', 'images'],
    parts: ['go'],
    after: [],
  },
  policy: {
    command: process.execPath,
    args: ['scripts/build-native.ts', 'policy'],
    parts: ['go'],
    after: [],
  },
  opa: {
    command: process.execPath,
    args: ['scripts/prepare-opa.ts'],
    parts: ['go'],
    after: [],
  },
  python: {
    command: process.execPath,
    args: ['scripts/prepare-python.ts', 'tests'],
    parts: ['python'],
    after: [],
  },
  contract: {
    command: process.execPath,
    args: ['scripts/prepare-python.ts', 'contract'],
    parts: ['python'],
    after: [],
  },
  compare: {
    command: process.execPath,
    args: ['scripts/prepare-python.ts', 'compare'],
    parts: ['python'],
    after: [],
  },
  packages: {
    command: process.execPath,
    args: ['scripts/prepare-packages.ts'],
    parts: [],
    after: [],
  },
  'guest-root': {
    command: process.execPath,
    args: ['scripts/prepare-guest-root.ts'],
    parts: ['debian', 'python'],
    after: [],
  },
  build: {
    command: process.platform === 'win32' ? 'npm.cmd' : 'npm',
    args: ['run', '--silent', 'build'],
    parts: ['go'],
    after: ['engine', 'images', 'policy'],
  },
};
