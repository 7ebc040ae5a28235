// Runs one command with its whole family of processes: bounded in time, and nothing of it stays.
import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { endProcesses, leftOver, MARK, type JobProcess } from './job-processes.ts';

/** Processes that end by themselves when their parent does have so long. */
const ENDING_LIMIT_MS = 10_000;
/** Usual are some kilobytes. One that prints in a loop would fill the disk, on which the others write too. */
const OUTPUT_LIMIT_BYTES = 200 * 1024 * 1024;
const OUTPUT_INTERVAL_MS = 500;

export interface Command {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly limitMs: number;
  /** How long its processes may outlive it. */
  readonly endingLimitMs?: number;
  /** How much it may print. */
  readonly outputLimitBytes?: number;
  /** Where both streams go; absent: to the terminal. */
  readonly log?: string;
  /** Where the standard output goes when it is the report. */
  readonly stdout?: string;
}

export interface CommandEnd {
  readonly exitCode: number;
  readonly seconds: number;
  /** It was ended because its time was up, because it printed too much, or because the run was given up. */
  readonly wasCutOff: 'by its limit' | 'by its output' | 'with the run' | undefined;
  /** What was still there after its end, and was ended then. */
  readonly left: readonly JobProcess[];
  /** Why it could not be started. */
  readonly startError?: string;
}

let watchdog: ChildProcess | undefined;

/** Notified of every job, so that jobs end with a run that is killed. */
function notifyWatchdog(line: string): void {
  if (watchdog === undefined) {
    const program = fileURLToPath(new URL('watchdog.ts', import.meta.url));
    watchdog = spawn(process.execPath, [program], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    // Without it the run continues; only a run that is killed leaves its jobs.
    watchdog.on('error', () => undefined);
    watchdog.unref();
    // A pipe would keep this process alive.
    (watchdog.stdin as unknown as { unref?(): void }).unref?.();
    watchdog.stdin?.on('error', () => undefined);
  }
  watchdog.stdin?.write(`${line}\n`);
}

/** Runs the command to its end, at most until the limit or the signal. Never rejects. */
export async function runCommand(command: Command, signal: AbortSignal): Promise<CommandEnd> {
  const notStarted = { exitCode: 127, seconds: 0, left: [] };
  if (signal.aborted) return { ...notStarted, wasCutOff: 'with the run' };
  const mark = randomUUID();
  const begun = performance.now();
  // Before there is a process that could be left.
  notifyWatchdog(`begun ${mark}`);
  let child: ChildProcess;
  try {
    child = start(command, mark);
  } catch (error) {
    notifyWatchdog(`over ${mark}`);
    return { ...notStarted, wasCutOff: undefined, startError: startErrorOf(command, error) };
  }
  const leader = child.pid;
  if (leader !== undefined) notifyWatchdog(`begun ${mark} ${leader}`);
  let wasCutOff: CommandEnd['wasCutOff'];
  const cutOff = (reason: NonNullable<CommandEnd['wasCutOff']>): void => {
    wasCutOff ??= reason;
    endProcesses(mark, leader);
  };
  const timer = setTimeout(() => cutOff('by its limit'), command.limitMs);
  const { outputLimitBytes = OUTPUT_LIMIT_BYTES } = command;
  const measuring = setInterval(() => {
    if (printedBytes(command) > outputLimitBytes) cutOff('by its output');
  }, OUTPUT_INTERVAL_MS);
  const onAbort = (): void => cutOff('with the run');
  signal.addEventListener('abort', onAbort);
  let startError: string | undefined;
  const exitCode = await new Promise<number>((resolve) => {
    child.once('error', (error) => {
      startError = startErrorOf(command, error);
      resolve(127);
    });
    child.once('exit', (code) => resolve(code ?? 137));
    if (signal.aborted) onAbort();
  });
  clearTimeout(timer);
  clearInterval(measuring);
  signal.removeEventListener('abort', onAbort);
  const { endingLimitMs = ENDING_LIMIT_MS } = command;
  const limitMs = wasCutOff === undefined ? endingLimitMs : 0;
  const left = await leftOver(mark, leader, { limitMs, signal });
  endProcesses(mark, leader);
  notifyWatchdog(`over ${mark}`);
  return {
    exitCode,
    seconds: (performance.now() - begun) / 1000,
    wasCutOff,
    left: wasCutOff === undefined ? left : [],
    ...(startError !== undefined && { startError }),
  };
}

function printedBytes({ log, stdout }: Command): number {
  const sizes = [log, stdout].map((file) =>
    file === undefined ? 0 : (statSync(file, { throwIfNoEntry: false })?.size ?? 0),
  );
  return Math.max(...sizes);
}

function startErrorOf({ command }: Command, error: unknown): string {
  return `${command} cannot be started: ${error instanceof Error ? error.message : String(error)}`;
}

function start({ command, args, cwd, env, log, stdout }: Command, mark: string): ChildProcess {
  const open = (file: string | undefined): number | 'inherit' => {
    if (file === undefined) return 'inherit';
    mkdirSync(path.dirname(file), { recursive: true });
    return openSync(file, 'w');
  };
  const errors = open(log);
  const output = stdout === undefined ? errors : open(stdout);
  try {
    return spawn(command, args, {
      cwd,
      env: { ...process.env, ...env, [MARK]: mark },
      // A new session, so that its whole family can be ended.
      detached: true,
      stdio: ['ignore', output, errors],
    });
  } finally {
    for (const file of new Set([errors, output])) if (typeof file === 'number') closeSync(file);
  }
}
