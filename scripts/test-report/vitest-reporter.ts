// What Vitest reports to `npm test`: one JSON line for each thing that happened, written at once, so that a run that
// hangs or crashes has reported how far it came. The file is named by TEST_REPORT.
import { appendFileSync, writeFileSync } from 'node:fs';
import type { Reporter, TestCase, TestModule } from 'vitest/node';
import { isSelected, type Selection } from '../test-run/tiers.ts';

/** One line of the report. */
export type VitestLine =
  | { readonly type: 'begun'; readonly file: string; readonly name: string }
  | {
      readonly type: 'test';
      readonly file: string;
      readonly name: string;
      readonly state: 'passed' | 'failed' | 'skipped';
      /** How long it took; undefined when it was not run. For people who look for what is slow in a file. */
      readonly seconds?: number;
      /** Why it failed or was skipped. */
      readonly message?: string;
    }
  /** A file that is over, with what failed around its tests. */
  | {
      readonly type: 'file';
      readonly file: string;
      readonly seconds: number;
      readonly errors: readonly string[];
    }
  /** Uncaught errors. */
  | { readonly type: 'uncaught'; readonly message: string };

interface ThrownError {
  readonly message: string;
  readonly name?: string;
  readonly stack?: string;
  readonly diff?: string;
  readonly cause?: unknown;
}

const report = process.env['TEST_REPORT'] ?? '';
// Written by the plan of the run.
const selection = (process.env['TEST_SELECTION'] ?? 'all') as Selection;

// Vitest takes the default export of a reporter's file.
export default class LineReporter implements Reporter {
  onInit(): void {
    writeFileSync(report, '');
  }

  onTestCaseReady(test: TestCase): void {
    if (isOfSelection(test)) write({ type: 'begun', ...nameOf(test) });
  }

  onTestCaseResult(test: TestCase): void {
    const { state, errors = [], ...rest } = test.result();
    if (state === 'pending' || (state === 'skipped' && !isOfSelection(test))) return;
    const note = 'note' in rest ? rest.note : undefined;
    const message = state === 'failed' ? errors.map(reasonOf).join('\n') : note;
    const duration = test.diagnostic()?.duration;
    write({
      type: 'test',
      ...nameOf(test),
      state,
      ...(duration !== undefined && { seconds: duration / 1000 }),
      ...(message !== undefined && { message }),
    });
  }

  onTestModuleEnd(module: TestModule): void {
    const { duration, collectDuration, setupDuration, environmentSetupDuration, prepareDuration } =
      module.diagnostic();
    const all =
      duration + collectDuration + setupDuration + environmentSetupDuration + prepareDuration;
    const groups = [...module.children.allSuites()].flatMap((suite) =>
      suite.errors().map((error) => `${suite.fullName}: ${reasonOf(error)}`),
    );
    const errors = [...module.errors().map(reasonOf), ...groups];
    write({ type: 'file', file: module.relativeModuleId, seconds: all / 1000, errors });
  }

  onTestRunEnd(_modules: readonly TestModule[], errors: readonly ThrownError[]): void {
    for (const error of errors) write({ type: 'uncaught', message: reasonOf(error) });
  }
}

/** False for a test that belongs to another command: it is not skipped, it was not asked for. */
function isOfSelection(test: TestCase): boolean {
  return process.env['TEST_SELECTION'] === undefined || isSelected(selection, test.tags);
}

function nameOf(test: TestCase): { file: string; name: string } {
  return { file: test.module.relativeModuleId, name: test.fullName };
}

/** Message, difference, the positions in our sources, and what caused it. */
function reasonOf(error: ThrownError): string {
  const frames = (error.stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at .*\/.*:\d+/.test(line) && !/node_modules|node:/.test(line))
    .slice(0, 3)
    .map((line) => line.replace(`${process.cwd()}/`, ''));
  const head = error.name === undefined ? error.message : `${error.name}: ${error.message}`;
  const cause = isError(error.cause) ? [`Caused by: ${reasonOf(error.cause)}`] : [];
  return [head, error.diff ?? '', ...frames, ...cause].filter((part) => part !== '').join('\n');
}

function isError(value: unknown): value is ThrownError {
  return typeof value === 'object' && value !== null && 'message' in value;
}

function write(line: VitestLine): void {
  appendFileSync(report, `${JSON.stringify(line)}\n`);
}
