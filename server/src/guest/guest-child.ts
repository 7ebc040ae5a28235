import { execFile, spawn, type ChildProcess } from 'node:child_process';

import type { GuestDirectory } from './guest-directory.ts';
import { readOutput, type OutputLine } from './guest-output.ts';
import type { GuestProgram } from './guest-program.ts';
import type { Logger } from './logger.ts';

/** How long the output of a process that is gone may take to come in. */
const LAST_WORDS_MS = 200;

/** Starts the process, in a group of its own; what is in `also` is in its environment, too. */
export function launch(
  program: GuestProgram,
  directory: GuestDirectory,
  also: Readonly<Record<string, string>>,
): ChildProcess {
  return spawn(program.command, [...program.args, directory.configFile], {
    cwd: program.workingDirectory,
    env: { ...program.environment, ...also },
    // stdin stays open for as long as we live: its end tells the guest that we are gone, even after kill -9.
    stdio: ['pipe', 'pipe', 'pipe'],
    // A group of its own: Ctrl+C in the terminal must not reach a guest while its runs are finishing.
    detached: process.platform !== 'win32',
  });
}

/** Passes on what the process writes; resolves when it says that it is ready. */
export function watchOutput(
  child: ChildProcess,
  program: GuestProgram,
  options: {
    logger: Logger;
    onOutput: (line: OutputLine) => void;
    /** Its debugger can be had, at this port if it listens at one. */
    onDebugger: (port?: number) => void;
    /** It was asked whether it runs, and it does. */
    onAlive: () => void;
  },
  tail: string[],
): Promise<void> {
  return new Promise((resolve) => {
    const readers = {
      onEvent: (name: string, port?: number) => {
        if (name === 'ready') resolve();
        if (name === 'debugger') options.onDebugger(port);
        if (name === 'alive') options.onAlive();
      },
      onLine: (line: OutputLine) => {
        if (line.stream === 'stderr' && line.runUuid === undefined) keepTail(tail, line.text);
        const { language } = program;
        const fields = { language, guest_pid: child.pid, stream: line.stream, text: line.text };
        const about = line.runUuid === undefined ? {} : { run_id: line.runUuid };
        options.logger.info({ ...about, ...fields }, 'agent output');
        options.onOutput(line);
      },
    };
    if (child.stdout) readOutput(child.stdout, 'stdout', readers);
    if (child.stderr) readOutput(child.stderr, 'stderr', readers);
    child.stdin?.on('error', () => undefined); // the guest may be gone before us
  });
}

function keepTail(tail: string[], text: string): void {
  if (text.trim() === '') return;
  tail.push(text.slice(0, 500));
  if (tail.length > 5) tail.shift();
}

/** Resolves with a sentence when the process is gone, or could not be started. */
export function watchExit(
  child: ChildProcess,
  program: GuestProgram,
  tail: string[],
): Promise<string> {
  return new Promise((resolve) => {
    const about = `The ${program.language} guest`;
    child.once('error', (error) => {
      if (child.pid === undefined) resolve(`${about} could not be started: ${error.message}.`);
    });
    child.once('exit', (code, killedBy) => {
      const how = killedBy ? `was killed by ${killedBy}` : `exited with code ${code ?? 0}`;
      const say = (): void => resolve([`${about} ${how}.`, ...tail.slice(-1)].join(' '));
      // Its last words are still in the pipe, which what the agent's code has started may hold open.
      const timer = setTimeout(say, LAST_WORDS_MS);
      child.once('close', () => {
        clearTimeout(timer);
        say();
      });
    });
  });
}

/** Signals the process and its group; one that is gone, whose id may be another's, is left alone. */
export function signalGroup(child: ChildProcess, name: NodeJS.Signals): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    if (process.platform === 'win32') endTree(child);
    else process.kill(-child.pid, name);
  } catch {
    // The whole group is gone already.
  }
}

/** Windows has no signals, and its processes forget their parents: all of them end at once. */
function endTree(child: ChildProcess): void {
  execFile('taskkill', ['/T', '/F', '/PID', String(child.pid)], () => child.kill());
}
