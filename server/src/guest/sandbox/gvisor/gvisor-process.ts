import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { readFile } from 'node:fs/promises';

import type { Offspring } from '../../process/offspring.ts';
import { ChildProcess } from '../child-process.ts';
import type { GuestCgroup } from './cgroups.ts';
import { howItEnded } from './how-it-ended.ts';

export interface GvisorProcessOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** Where runsc was told to write its log. */
  readonly logFile: string;
  /** Absent: nothing bounds its memory and processors. */
  readonly cgroup: GuestCgroup | undefined;
  /** The memory limit, as it is told when it ran out. */
  readonly memory: string;
  readonly noteMs: number;
  /** Hears why runsc itself failed. */
  readonly onFailure: (detail: string) => void;
  /** Removes what it leaves in files. */
  readonly remove: () => Promise<void>;
}

/** Says its own id to each cgroup, then becomes the program behind `--`. The shell's own words would name paths. */
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
        // The agents' environment is in the bundle, and ours is not for runsc.
        env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', ...offspring.environment },
        stdio: ['pipe', 'pipe', 'pipe'],
        // A group of its own: Ctrl+C in the terminal must not reach a guest while its runs are finishing.
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

  /** The end of its input says so: runsc passes no signals on, and would end the sandbox at SIGTERM itself. */
  protected askToEnd(): void {}

  /** Its sandbox dies with it: all that the agents have started is in there. */
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
