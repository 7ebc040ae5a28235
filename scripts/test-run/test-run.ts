// One call of `npm test`: prepares what is missing, runs its jobs side by side, and has a result for each.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { preparations, reports, root } from '../suites.ts';
import type { Report } from '../test-report/report.ts';
import { empty, failedAsWhole, judge, type SuiteResult } from '../test-report/suite-result.ts';
import { lastLines } from './last-lines.ts';
import { machineParts, missingPart, type MachinePart } from './machine-parts.ts';
import { commandOf, logOf, reportOf, type Job } from './plan.ts';
import { runCommand, type CommandEnd } from './run-job.ts';
import { schedule, type Task } from './schedule.ts';
import type { TimeLeft } from './time-left.ts';
import { limitSeconds, usualSeconds, type UsualTimes } from './usual-times.ts';

/** A first build of the engine fetches and compiles for many minutes. */
const PREPARATION_LIMIT_MS = 25 * 60_000;

export interface TestRunOptions {
  readonly jobs: readonly Job[];
  readonly slots: number;
  readonly usual: UsualTimes;
  readonly rounds: number | undefined;
  /** How much longer than three times its usual time a job may take. */
  readonly graceSeconds?: number;
  /** How long processes may outlive their job. */
  readonly endingLimitMs?: number;
  readonly parts?: Readonly<Record<string, MachinePart>>;
  /** Missing parts of the machine are failures, and not only loud. */
  readonly isCi: boolean;
  /** Leaves out what would not end in time. Absent: everything begins. */
  readonly timeLeft?: TimeLeft | undefined;
  /** Ends everything that runs; what was not started is a failure then. */
  readonly signal: AbortSignal;
  readonly onResult: (name: string, result: SuiteResult, seconds: number) => void;
}

export interface TestRun {
  readonly results: readonly SuiteResult[];
  /** How long each job took. */
  readonly seconds: Readonly<Record<string, number>>;
}

/** Runs the jobs, whatever the others do. */
export async function runTests(options: TestRunOptions): Promise<TestRun> {
  const { slots, signal, isCi } = options;
  const results: SuiteResult[] = [];
  const times: Record<string, number> = {};
  const finish = (name: string, result: SuiteResult, seconds = 0): void => {
    results.push(result);
    // What did not run, or not to its end, has no usual time.
    if (seconds > 0 && result.failures.length === 0) times[name] = seconds;
    options.onResult(name, result, seconds);
  };
  const runnable = options.jobs.filter((job) => {
    const missing = missingPart(job.parts, options.parts ?? machineParts);
    if (missing === undefined) return true;
    const sentence = `${missing.title} is missing: ${missing.install}`;
    const { name } = job.suite;
    finish(
      job.name,
      isCi
        ? failedAsWhole({ suite: name, note: sentence })
        : { suite: name, ...empty, missing: sentence },
    );
    return false;
  });
  await schedule([...preparationTasks(), ...runnable.map(taskOf)], slots);
  return { results, seconds: times };

  function preparationTasks(): Task[] {
    const wanted = new Set(runnable.flatMap(({ needs }) => needs));
    return [...wanted].map((name) => ({
      name: `prepare ${name}`,
      slots: 1,
      after: preparations[name].after.map((before) => `prepare ${before}`),
      seconds: 0,
      isAlone: false,
      run: async () => {
        const log = path.join(reports, `prepare-${name}.log`);
        const limitMs = PREPARATION_LIMIT_MS;
        const suite = `prepare ${name}`;
        const begun = performance.now();
        try {
          const end = await runCommand({ ...preparations[name], cwd: root, limitMs, log }, signal);
          if (end.exitCode === 0 && end.wasCutOff === undefined) return true;
          const cutOff = misconductOf(suite, { ...end, left: [] }, limitMs / 1000);
          const note = cutOff ?? end.startError ?? `ended with code ${end.exitCode}`;
          finish(suite, failedAsWhole({ suite, note, reason: lastLines(log) }), end.seconds);
        } catch (error) {
          finish(suite, failedAsWhole({ suite, note: String(error) }), secondsSince(begun));
        }
        return false;
      },
      skip: () => undefined,
    }));
  }

  function taskOf(job: Job): Task {
    const { name, suite, selection } = job;
    const isOnly = runnable.length === 1;
    const wide = isOnly ? slots : Math.ceil(slots / 2);
    const workers = suite.hasWorkers ? wide : 1;
    const usual = usualSeconds(options.usual, name, selection);
    return {
      name,
      slots: workers,
      after: job.needs.map((need) => `prepare ${need}`),
      seconds: usual,
      isAlone: job.isAlone,
      run: async () => {
        if (signal.aborted) {
          finish(name, failedAsWhole({ suite: suite.name, note: `${name} was not started` }));
          return false;
        }
        if (options.timeLeft?.fits(usual) === false) {
          finish(name, { suite: suite.name, ...empty, missing: `${name}: no time was left` });
          return false;
        }
        const begun = performance.now();
        try {
          const { result, seconds } = await runJob(job, workers);
          options.timeLeft?.took(seconds, usual);
          finish(name, result, seconds);
        } catch (error) {
          // The disk is full, for example. The other jobs continue, and so does the closing part.
          const note = `${name}: ${String(error)}`;
          finish(name, failedAsWhole({ suite: suite.name, note }), secondsSince(begun));
        }
        return true;
      },
      skip: (before) =>
        finish(name, {
          suite: suite.name,
          ...empty,
          note: `${name} was not started: "${before}" failed`,
        }),
    };
  }

  async function runJob(
    job: Job,
    workers: number,
  ): Promise<{ result: SuiteResult; seconds: number }> {
    const report = reportOf(job);
    const log = logOf(job);
    mkdirSync(path.dirname(report), { recursive: true });
    // What an earlier run left must not be taken for this one's.
    rmSync(report, { force: true });
    const { printsReport, ...command } = commandOf(job, workers, options.rounds);
    const isLong = options.rounds !== undefined;
    const limitS = limitSeconds(
      options.usual,
      job.name,
      isLong ? 'nightly' : job.selection,
      options.graceSeconds,
    );
    const end = await runCommand(
      {
        ...command,
        limitMs: limitS * 1000,
        log,
        ...(printsReport && { stdout: report }),
        ...(options.endingLimitMs !== undefined && { endingLimitMs: options.endingLimitMs }),
      },
      signal,
    );
    const { read, unreadable } = readReport(job, report);
    const misconduct = misconductOf(job.name, end, limitS) ?? unreadable;
    const result = judge({
      suite: job.suite.name,
      report: read,
      exitCode: end.exitCode,
      lastWords: [`${job.name}:`, end.startError, lastLines(log)].filter(Boolean).join('\n'),
      ...(misconduct !== undefined && { misconduct }),
    });
    // A job for each file: how long it took as a whole, with what it started.
    const files =
      job.suite.job === 'file'
        ? [{ file: job.files[0]?.file ?? job.name, seconds: end.seconds }]
        : result.files;
    return { result: { ...result, files }, seconds: end.seconds };
  }
}

function misconductOf(name: string, end: CommandEnd, limitS: number): string | undefined {
  if (end.wasCutOff === 'by its limit') {
    return `${name} was ended: it took longer than ${Math.round(limitS)} s`;
  }
  if (end.wasCutOff === 'by its output') return `${name} was ended: it printed too much`;
  if (end.wasCutOff === 'with the run') return `${name} was ended with the run`;
  if (end.left.length === 0) return undefined;
  const [first] = end.left;
  const more = end.left.length > 1 ? ` and ${end.left.length - 1} more` : '';
  const command = first?.command.replaceAll(/\s+/g, ' ').slice(0, 120);
  return `${name} left a process running: ${command}${more}`;
}

/** A runner that was ended, or had no room on the disk, may have left half of its report. */
function readReport(
  { name, suite }: Job,
  file: string,
): { read: Report | undefined; unreadable?: string } {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  if (text === '') return { read: undefined };
  try {
    return { read: suite.parse(text) };
  } catch (error) {
    return { read: undefined, unreadable: `${name} left a broken report: ${String(error)}` };
  }
}

const secondsSince = (begun: number): number => (performance.now() - begun) / 1000;
