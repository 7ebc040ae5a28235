import { execFile, spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';

import { removeAbandonedGuests } from '../process/guest-directory.ts';
import { guestLimits, type GuestLimits } from '../limits.ts';
import type { Offspring } from '../process/offspring.ts';
import { ChildProcess } from './child-process.ts';
import type { Sandbox, SandboxSpec } from './port.ts';

/** Guests are plain processes of this user: `--sandbox none`. */
export function noSandbox(limits: GuestLimits = guestLimits): Sandbox {
  return {
    kind: 'none',
    pathsOf: (directory) => directory,
    start: (spec) => Promise.resolve(new PlainProcess(spec, limits)),
    removeAbandoned: removeAbandonedGuests,
    close: () => Promise.resolve(),
  };
}

class PlainProcess extends ChildProcess {
  readonly gone: Promise<string>;

  constructor({ program, directory }: SandboxSpec, limits: GuestLimits) {
    const start = (offspring: Offspring): ChildProcessWithoutNullStreams =>
      spawn(program.command, [...program.args, directory.configFile], {
        cwd: program.workingDirectory,
        env: { ...program.environment, ...offspring.environment },
        stdio: ['pipe', 'pipe', 'pipe'],
        // Its own group: Ctrl+C in the terminal must not reach a guest while its runs are finishing.
        detached: process.platform !== 'win32',
      });
    super(start, limits);
    this.gone = new Promise((resolve) => {
      this.child.once('error', (error) => {
        if (this.child.pid === undefined) resolve(`could not be started: ${error.message}`);
      });
      this.child.once('exit', (code, killedBy) =>
        resolve(killedBy ? `was killed by ${killedBy}` : `exited with code ${code ?? 0}`),
      );
    });
  }

  protected askToEnd(): void {
    signalGroup(this.child, 'SIGTERM');
  }

  protected killNow(): void {
    signalGroup(this.child, 'SIGKILL');
  }
}

/** Signals the process and its group, unless it has exited: its id may belong to another process then. */
function signalGroup(child: ChildProcessWithoutNullStreams, name: NodeJS.Signals): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    if (process.platform === 'win32') endTree(child);
    else process.kill(-child.pid, name);
  } catch {
    // The whole group has already exited.
  }
}

/** Windows has no signals, and orphans lose the reference to their parent: the whole tree ends at once. */
function endTree(child: ChildProcessWithoutNullStreams): void {
  execFile('taskkill', ['/T', '/F', '/PID', String(child.pid)], () => child.kill());
}
