import { constants } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { type Duplex, PassThrough, type Readable, type Writable } from 'node:stream';
import type Docker from 'dockerode';
import { processStart } from '../../../config/process-identity.ts';
import { byteText } from '../machine-room.ts';
import type { SandboxedProcess } from '../port.ts';
import { inTime, refused, statusOf, within } from './docker-trouble.ts';
import { demultiplex } from './demultiplex.ts';
import type { OwnContainer } from './own-containers.ts';

/** How long to wait for Docker's last events, which arrive in this order but with delays. */
const LAST_EVENT_MS = 300;
/** Interval of inspecting a container without output, and the daemon's time limit to respond. */
const ASK_EVERY_MS = 2_000;
const ANSWER_MS = 10_000;
/** For the daemon to remove a container that has ended. */
const REMOVAL_MS = 10_000;

/** A guest in its own container. */
export class DockerContainer implements SandboxedProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly gone: Promise<string>;
  readonly drained: Promise<void>;
  pid = 0;
  hasExited = false;
  wasLost = false;
  readonly #container: Docker.Container;
  readonly #remove: () => Promise<void>;
  readonly #removed: Promise<unknown>;
  readonly #outOfMemory: MemoryWatch;
  readonly #memoryBytes: number | undefined;
  #isKilled = false;
  /** The start of its first process: with it the id cannot be mistaken for that of a later process. */
  #start: string | undefined;

  private constructor(
    { container, remove }: OwnContainer,
    attached: Duplex,
    outOfMemory: MemoryWatch,
    memoryBytes: number | undefined,
  ) {
    this.#container = container;
    this.#remove = remove;
    this.#outOfMemory = outOfMemory;
    this.#memoryBytes = memoryBytes;
    const stdout = new PassThrough();
    const stderr = new PassThrough();
    this.stdin = attached;
    this.stdout = stdout;
    this.stderr = stderr;
    this.drained = demultiplex(attached, { stdout, stderr });
    // Both waits begin before the start: afterwards it may have exited and been removed.
    this.#removed = container.wait({ condition: 'removed' }).catch(() => undefined);
    const exited = container
      .wait({ condition: 'next-exit' })
      .then(({ StatusCode }: { StatusCode: number }) => StatusCode);
    this.gone = Promise.race([exited.catch(() => this.#askAgain()), this.#askAgain()]).then(
      (code) => (code === undefined ? this.#lost() : this.#howItEnded(code)),
    );
  }

  /** Starts a container that was just made; rejects with `guest_unavailable`, after removing it. */
  static async start(
    own: OwnContainer,
    { docker, memoryBytes, what }: { docker: Docker; memoryBytes?: number; what: string },
  ): Promise<DockerContainer> {
    const { container } = own;
    let outOfMemory: MemoryWatch | undefined;
    try {
      outOfMemory = await watchMemory(docker, container.id);
      const attached = await container.attach({
        ...{ stream: true, stdin: true, stdout: true, stderr: true, hijack: true },
      });
      const guest = new DockerContainer(own, attached as Duplex, outOfMemory, memoryBytes);
      await container.start();
      // A container that has already exited has no process id.
      const { State } = await container.inspect().catch(() => ({ State: { Pid: 0 } }));
      guest.pid = State.Pid;
      guest.#start = processStart(State.Pid);
      return guest;
    } catch (error) {
      outOfMemory?.close();
      await own.remove();
      throw refused(what, error);
    }
  }

  async stop(graceMs: number): Promise<void> {
    this.stdin.destroy();
    if (!this.hasExited) {
      await this.#signal('SIGTERM');
      const timer = setTimeout(() => void this.kill(), graceMs);
      await this.gone;
      clearTimeout(timer);
    }
    await this.#remove();
    // When the daemon exits, `wait` gets no response: its connection just ends.
    if (!this.wasLost) await within(this.#removed, REMOVAL_MS);
  }

  async kill(): Promise<void> {
    this.#isKilled = true;
    await this.#signal('SIGKILL');
  }

  async #signal(signal: NodeJS.Signals): Promise<void> {
    try {
      await this.#container.kill({ signal });
    } catch (error) {
      // 404 and 409: the container has ended. Without a status the daemon has, which ends its containers.
      if (statusOf(error) === undefined) await within(this.gone, REMOVAL_MS);
    }
  }

  /**
   * Inspects the container after the end of its output: `wait` may never respond when the daemon exits. Resolves with
   * the exit code, or with undefined when it is unknown.
   */
  async #askAgain(): Promise<number | undefined> {
    await this.drained;
    await delay(LAST_EVENT_MS);
    let looksLeft = 5;
    for (; !this.hasExited; await delay(ASK_EVERY_MS)) {
      try {
        const { State } = await inTime(this.#container.inspect(), ANSWER_MS);
        // Agents may have closed its output and continue.
        if (!State.Running) return State.ExitCode;
      } catch (error) {
        // If the daemon no longer has it, `wait` will report its end; without a status the daemon is unavailable.
        looksLeft -= 1;
        if (statusOf(error) === undefined || looksLeft === 0) return undefined;
      }
    }
    return undefined;
  }

  async #howItEnded(code: number): Promise<string> {
    this.hasExited = true;
    const isKill = code === 128 + constants.signals.SIGKILL;
    if (isKill && !this.#isKilled) await within(this.#outOfMemory.happened, LAST_EVENT_MS);
    this.#outOfMemory.close();
    if (isKill && this.#outOfMemory.isSeen) {
      const limit = this.#memoryBytes;
      return `ran out of memory${limit === undefined ? '' : ` (limit ${byteText(limit)})`}`;
    }
    const killedBy = Object.entries(constants.signals).find(([, number]) => code === 128 + number);
    return killedBy ? `was killed by ${killedBy[0]}` : `exited with code ${code}`;
  }

  #lost(): string {
    this.hasExited = true;
    this.wasLost = true;
    this.#outOfMemory.close();
    // Without its daemon a container keeps running, while its runs continue in other guests.
    if (this.pid > 0 && this.#start !== undefined && processStart(this.pid) === this.#start) {
      try {
        process.kill(this.pid, 'SIGKILL');
      } catch {
        // It is another user's: the daemon ends it at its next start.
      }
    }
    return 'was lost: the Docker daemon has ended, or the connection to it';
  }
}

/** Whether the kernel killed a process of a container for lack of memory; afterwards it is removed too soon to ask. */
interface MemoryWatch {
  readonly happened: Promise<void>;
  readonly isSeen: boolean;
  close(): void;
}

async function watchMemory(docker: Docker, id: string): Promise<MemoryWatch> {
  const events = await docker.getEvents({ filters: { container: [id], event: ['oom'] } });
  let isSeen = false;
  const happened = new Promise<void>((resolve) => {
    events.once('data', () => {
      isSeen = true;
      resolve();
    });
  });
  events.on('error', () => undefined); // the daemon has ended
  return {
    happened,
    get isSeen() {
      return isSeen;
    },
    close: () => ('destroy' in events ? (events as Readable).destroy() : undefined),
  };
}
