import { execFile, spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';

import { removeAbandonedGuests } from '../process/guest-directory.ts';
import { guestLimits, type GuestLimits } from '../limits.ts';
import { Offspring } from '../process/offspring.ts';
import type { Sandbox, SandboxedProcess, SandboxSpec } from './port.ts';

/** Guests are plain processes of this user: `--sandbox none`. */
export function noSandbox(limits: GuestLimits = guestLimits): Sandbox {
  return {
    kind: 'none',
    placesOf: (directory) => directory,
    start: (spec) => Promise.resolve(new PlainProcess(spec, limits.noteMs)),
    removeAbandoned: removeAbandonedGuests,
    close: () => Promise.resolve(),
  };
}

class PlainProcess implements SandboxedProcess {
  readonly gone: Promise<string>;
  readonly drained: Promise<void>;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #offspring = new Offspring();
  readonly #noteMs: number;

  constructor({ program, directory }: SandboxSpec, noteMs: number) {
    this.#noteMs = noteMs;
    const child = spawn(program.command, [...program.args, directory.configFile], {
      cwd: program.workingDirectory,
      env: { ...program.environment, ...this.#offspring.environment },
      stdio: ['pipe', 'pipe', 'pipe'],
      // A group of its own: Ctrl+C in the terminal must not reach a guest while its runs are finishing.
      detached: process.platform !== 'win32',
    });
    this.#child = child;
    if (child.pid !== undefined) this.#offspring.begin(child.pid);
    this.gone = new Promise((resolve) => {
      child.once('error', (error) => {
        if (child.pid === undefined) resolve(`could not be started: ${error.message}`);
      });
      child.once('exit', (code, killedBy) =>
        resolve(killedBy ? `was killed by ${killedBy}` : `exited with code ${code ?? 0}`),
      );
    });
    this.drained = new Promise((resolve) => child.once('close', () => resolve()));
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get stdin(): ChildProcessWithoutNullStreams['stdin'] {
    return this.#child.stdin;
  }

  get stdout(): ChildProcessWithoutNullStreams['stdout'] {
    return this.#child.stdout;
  }

  get stderr(): ChildProcessWithoutNullStreams['stderr'] {
    return this.#child.stderr;
  }

  get hasExited(): boolean {
    const { exitCode, signalCode, pid } = this.#child;
    return exitCode !== null || signalCode !== null || pid === undefined;
  }

  async stop(graceMs: number): Promise<void> {
    if (!this.hasExited) await this.#offspring.note();
    this.#child.stdin.destroy();
    signalGroup(this.#child, 'SIGTERM');
    const timer = setTimeout(() => void this.kill(), graceMs);
    await this.gone;
    clearTimeout(timer);
    // What the agent's code started and left behind goes with it.
    await this.#offspring.end();
  }

  async kill(): Promise<void> {
    const late = delay(this.#noteMs, undefined, { ref: false });
    await Promise.race([this.#offspring.note(), late]);
    signalGroup(this.#child, 'SIGKILL');
  }
}

/** Signals the process and its group; one that is gone, whose id may be another's, is left alone. */
function signalGroup(child: ChildProcessWithoutNullStreams, name: NodeJS.Signals): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    if (process.platform === 'win32') endTree(child);
    else process.kill(-child.pid, name);
  } catch {
    // The whole group is gone already.
  }
}

/** Windows has no signals, and its processes forget their parents: all of them end at once. */
function endTree(child: ChildProcessWithoutNullStreams): void {
  execFile('taskkill', ['/T', '/F', '/PID', String(child.pid)], () => child.kill());
}
