import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { Offspring } from '../process/offspring.ts';
import type { SandboxedProcess } from './port.ts';

/** A guest whose process, or that of its sandbox, is a child of this one. */
export abstract class ChildProcess implements SandboxedProcess {
  abstract readonly gone: Promise<string>;
  readonly drained: Promise<void>;
  protected readonly child: ChildProcessWithoutNullStreams;
  /** The processes that agents started; they end with the guest. */
  protected readonly offspring: Offspring;
  readonly #noteMs: number;

  /** `noteMs` is how long a kill waits for the search of the agents' processes. */
  constructor(
    start: (offspring: Offspring) => ChildProcessWithoutNullStreams,
    { noteMs }: { noteMs: number },
  ) {
    this.#noteMs = noteMs;
    this.offspring = new Offspring();
    this.child = start(this.offspring);
    if (this.child.pid !== undefined) this.offspring.begin(this.child.pid);
    this.drained = new Promise((resolve) => this.child.once('close', () => resolve()));
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  get stdin(): ChildProcessWithoutNullStreams['stdin'] {
    return this.child.stdin;
  }

  get stdout(): ChildProcessWithoutNullStreams['stdout'] {
    return this.child.stdout;
  }

  get stderr(): ChildProcessWithoutNullStreams['stderr'] {
    return this.child.stderr;
  }

  get hasExited(): boolean {
    const { exitCode, signalCode, pid } = this.child;
    return exitCode !== null || signalCode !== null || pid === undefined;
  }

  /** Asks it to end, kills it after `graceMs`, and ends processes that its agents left behind. */
  async stop(graceMs: number): Promise<void> {
    if (!this.hasExited) await this.offspring.note();
    this.child.stdin.destroy();
    this.askToEnd();
    const timer = setTimeout(() => void this.kill(), graceMs);
    await this.gone;
    clearTimeout(timer);
    await this.offspring.end();
  }

  async kill(): Promise<void> {
    const late = delay(this.#noteMs, undefined, { ref: false });
    await Promise.race([this.offspring.note(), late]);
    this.killNow();
  }

  protected abstract askToEnd(): void;
  protected abstract killNow(): void;
}
