import { constants } from 'node:os';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import type { Duplex } from 'node:stream';

import type Docker from 'dockerode';

import { byteText } from '../byte-text.ts';
import type { SandboxedProcess } from '../port.ts';
import { within } from './in-time.ts';
import { demultiplex } from './demultiplex.ts';
import { refused, statusOf } from './docker-trouble.ts';

/** What Docker says last comes in this order, but not at once. */
const LAST_EVENT_MS = 300;
/** For the daemon to remove what has ended. */
const REMOVAL_MS = 10_000;

/** A guest in a container of its own. */
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
  readonly #removed: Promise<unknown>;
  readonly #outOfMemory: OutOfMemory;
  readonly #memoryBytes: number | undefined;
  #isKilled = false;

  private constructor(
    container: Docker.Container,
    attached: Duplex,
    outOfMemory: OutOfMemory,
    memoryBytes: number | undefined,
  ) {
    this.#container = container;
    this.#outOfMemory = outOfMemory;
    this.#memoryBytes = memoryBytes;
    const stdout = new PassThrough();
    const stderr = new PassThrough();
    this.stdin = attached;
    this.stdout = stdout;
    this.stderr = stderr;
    this.drained = demultiplex(attached, { stdout, stderr });
    // Both are asked before it starts: afterwards it may be gone, and removed.
    this.#removed = container.wait({ condition: 'removed' }).catch(() => undefined);
    this.gone = container.wait({ condition: 'next-exit' }).then(
      ({ StatusCode }: { StatusCode: number }) => this.#howItEnded(StatusCode),
      () => this.#lost(),
    );
  }

  /** Starts a container that was just made; rejects with `guest_unavailable`, and leaves nothing then. */
  static async start(
    container: Docker.Container,
    { docker, memoryBytes, what }: { docker: Docker; memoryBytes?: number; what: string },
  ): Promise<DockerContainer> {
    let outOfMemory: OutOfMemory | undefined;
    try {
      outOfMemory = await watchMemory(docker, container.id);
      const attached = await container.attach({
        ...{ stream: true, stdin: true, stdout: true, stderr: true, hijack: true },
      });
      const guest = new DockerContainer(container, attached as Duplex, outOfMemory, memoryBytes);
      await container.start();
      // One that is gone already has none.
      const { State } = await container.inspect().catch(() => ({ State: { Pid: 0 } }));
      guest.pid = State.Pid;
      return guest;
    } catch (error) {
      outOfMemory?.close();
      await remove(container);
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
    await remove(this.#container);
    await within(this.#removed, REMOVAL_MS);
  }

  async kill(): Promise<void> {
    this.#isKilled = true;
    await this.#signal('SIGKILL');
  }

  async #signal(signal: NodeJS.Signals): Promise<void> {
    try {
      await this.#container.kill({ signal });
    } catch (error) {
      // 404 and 409: it is gone. Otherwise the daemon is, which ends what it had.
      if (statusOf(error) === undefined) await within(this.gone, REMOVAL_MS);
    }
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
    return 'was lost: the Docker daemon has ended, or the connection to it';
  }
}

interface OutOfMemory {
  readonly happened: Promise<void>;
  readonly isSeen: boolean;
  close(): void;
}

/** Whether the kernel killed something of the container: it is removed before it could be asked. */
async function watchMemory(docker: Docker, id: string): Promise<OutOfMemory> {
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

async function remove(container: Docker.Container): Promise<void> {
  try {
    await container.remove({ force: true, v: true });
  } catch {
    // It removes itself, or the daemon has ended and removes it at its next start.
  }
}
