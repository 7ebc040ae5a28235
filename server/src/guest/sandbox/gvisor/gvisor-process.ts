import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { readFile } from 'node:fs/promises';

import type { Offspring } from '../../process/offspring.ts';
import { ChildProcess } from '../child-process.ts';
import type { GuestCgroup } from './cgroups.ts';
import { howItEnded } from './how-it-ended.ts';

export interface GvisorProcessOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** The path of runsc's log. */
  readonly logFile: string;
  /** Absent: its memory and CPU are not limited. */
  readonly cgroup: GuestCgroup | undefined;
  /** The memory limit as text, for the message when it is exceeded. */
  readonly memory: string;
  readonly noteMs: number;
  /** Called with the reason when runsc itself failed. */
  readonly onFailure: (detail: string) => void;
  /** Removes its files. */
  readonly remove: () => Promise<void>;
}

/** Writes its id to each cgroup, then executes the program after `--`. The shell's own messages would reveal paths. */
const ENTER =
  'exec 3>&2 2>/dev/null; while [ "$1" != -- ]; do echo $$ >"$1" || exit 128; shift; done; shift; ' +
  '[ -x "$1" ] || exit 127; exec "$@" 2>&3 3>&-';

/** A guest in gVisor: `runsc run` in the foreground, whose pipes are those of the guest. */
export class GvisorProcess extends ChildProcess {
  readonly gone: Promise<string>;
  readonly #options: GvisorProcessOptions;

  constructor(options: GvisorProcessOptions) {
    const { command, args, cgroup } = options;
    const line = cgroup
      ? ['/bin/sh', '-c', ENTER, 'sh', ...cgroup.entries, '--', command, ...args]
      : [command, ...args];
    const start = (offspring: Offspring): ChildProcessWithoutNullStreams =>
      spawn(line[0] ?? command, line.slice(1), {
        cwd: '/',
        // The agents' environment is in the bundle, and runsc must not get ours.
        env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', ...offspring.environment },
        stdio: ['pipe', 'pipe', 'pipe'],
        // Its own group: Ctrl+C in the terminal must not reach a guest while its runs are finishing.
        detached: true,
      });
    super(start, options);
    this.#options = options;
    const { child } = this;
    const exit = new Promise<[number | null, NodeJS.Signals | null]>((resolve) => {
      child.once('exit', (code, killedBy) => resolve([code, killedBy]));
    });
    const failure = new Promise<string>((resolve) => {
      child.once('error', (error) => {
        if (child.pid !== undefined) return;
        options.onFailure(error.message);
        resolve(`could not be started: gVisor's runsc cannot be run (${codeOf(error)})`);
      });
    });
    this.gone = Promise.race([failure, exit.then((end) => this.#howItEnded(...end))]);
  }

  override async stop(graceMs: number): Promise<void> {
    await super.stop(graceMs);
    await this.#options.cgroup?.remove();
    await this.#options.remove();
  }

  /** The end of its stdin asks it: runsc passes no signals on, and would itself end the sandbox at SIGTERM. */
  protected askToEnd(): void {}

  /** Its sandbox ends with it, including all processes that the agents started. */
  protected killNow(): void {
    this.child.kill('SIGKILL');
  }

  async #howItEnded(code: number | null, killedBy: NodeJS.Signals | null): Promise<string> {
    const { cgroup, memory, logFile, onFailure } = this.#options;
    const isOut = cgroup !== undefined && (await cgroup.oomKills()) > 0;
    const log = await readFile(logFile, 'utf8').catch(() => '');
    const { how, detail } = howItEnded({
      code,
      killedBy,
      log,
      ...(isOut && { outOfMemory: memory }),
    });
    if (detail !== undefined) onFailure(detail);
    return how;
  }
}

function codeOf(error: Error): string {
  return 'code' in error ? String(error.code) : error.name;
}
