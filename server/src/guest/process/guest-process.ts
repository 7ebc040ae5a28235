import { writeFile } from 'node:fs/promises';

import { ServiceError } from '../../errors/service-error.ts';
import { AgentsClient } from '../wire/agents-client.ts';
import type { GuestApiPort } from '../wire/api-port.ts';
import { CheckpointServer } from '../wire/checkpoint-server.ts';
import type { DebugLink } from '../debug/debugging.ts';
import { type OpenEgress, withEgress } from '../egress/program-egress.ts';
import { watchExit, watchOutput } from './guest-child.ts';
import { DialledConnections } from '../wire/dialled-connections.ts';
import { makeGuestDirectory, type GuestDirectory } from './guest-directory.ts';
import type { GuestLine } from './guest-output.ts';
import type { DroppedOutput } from './output-allowance.ts';
import type { GuestProgram } from '../pool/guest-program.ts';
import { GuestRuns, type AttributedLine } from '../pool/guest-runs.ts';
import { guestLimits, type GuestLimits } from '../limits.ts';
import type { Logger } from '../port.ts';
import { plainPatience, type Patience } from '../pool/patience.ts';
import { type ProcessUsage, usageReader } from './process-usage.ts';
import { noSandbox } from '../sandbox/no-sandbox.ts';
import type { Sandbox, SandboxedProcess, SandboxKind, SandboxLimits } from '../sandbox/port.ts';
import type { GuestStorePort } from '../wire/store-port.ts';

export interface GuestProcessOptions {
  maxMessageBytes: number;
  logger: Logger;
  onOutput: (line: AttributedLine) => void;
  onDropped?: (dropped: DroppedOutput) => void;
  /** Absent: agents have no store. */
  store?: GuestStorePort;
  /** The API that agents' clients without a URL call; absent: they are refused. */
  api?: GuestApiPort;
  limits?: GuestLimits;
  /** Absent: no debugger. */
  debug?: DebugLink;
  /** Absent: none. */
  sandbox?: Sandbox;
  /** Opens the proxy through which a sandboxed guest reaches the network; absent: no proxy. */
  egress?: OpenEgress;
}

/** The sandbox of guests and their network access. */
export type Confinement = Pick<GuestProcessOptions, 'sandbox' | 'egress'>;

/** One running guest: a process, the channel to it and the channel from it. */
export class GuestProcess {
  readonly checkpoints: CheckpointServer;
  /** Resolves with a sentence once the process has exited, for any reason. */
  readonly exited: Promise<string>;
  readonly runs: GuestRuns;
  #exit: string | undefined;
  #stuck: string | undefined;
  /** Resolvers of pending requests for a sign of life. */
  readonly #asked = new Set<() => void>();
  readonly #onExit = new Set<(message: string) => void>();
  #closing: Promise<void> | undefined;
  readonly #child: SandboxedProcess;
  readonly #directory: GuestDirectory;
  readonly #egress: Closable | undefined;
  readonly #dialled: DialledConnections | undefined;
  readonly #limits: GuestLimits;
  readonly #debug: DebugLink | undefined;
  /** Its current resource usage. */
  readonly usage: () => ProcessUsage;
  /** The kind and limits of its sandbox. */
  readonly confinement: { readonly kind: SandboxKind; readonly limits?: SandboxLimits };
  #agents: AgentsClient | undefined;

  private constructor(
    child: SandboxedProcess,
    exited: Promise<string>,
    { checkpoints, egress, dialled }: Parts,
    directory: GuestDirectory,
    options: GuestProcessOptions,
  ) {
    this.#child = child;
    this.#directory = directory;
    this.#limits = options.limits ?? guestLimits;
    this.runs = new GuestRuns(this.#limits.outputLateMs);
    this.checkpoints = checkpoints;
    this.#egress = egress;
    this.#dialled = dialled;
    this.#debug = options.debug;
    this.usage = usageReader(child.pid);
    const { kind, limits } = options.sandbox ?? { kind: 'none' };
    this.confinement = { kind, ...(limits && { limits }) };
    this.exited = exited.then((message) => this.#stuck ?? message);
    void this.exited.then((message) => {
      this.#exit = message;
      for (const listener of this.#onExit) listener(message);
      this.#onExit.clear();
    });
  }

  /** Starts a guest and resolves when its agents are imported; rejects with `guest_unavailable` and the reason. */
  static async start(
    program: GuestProgram,
    options: GuestProcessOptions,
    signal: AbortSignal,
  ): Promise<GuestProcess> {
    const sandbox = options.sandbox ?? noSandbox(options.limits);
    const directory = await makeGuestDirectory();
    let checkpoints: CheckpointServer | undefined;
    let egress: Closable | undefined;
    let dialled: DialledConnections | undefined;
    let guest: GuestProcess | undefined;
    try {
      const patience = patienceOf(options);
      checkpoints = await CheckpointServer.start({
        ...options,
        patience,
        socketPath: directory.hostSocket,
      });
      egress = await options.egress?.(directory.egressSocket, () => guest?.runs.active ?? []);
      if (sandbox.kind !== 'none') {
        dialled = await DialledConnections.listen(directory, options.limits ?? guestLimits);
      }
      const paths = sandbox.pathsOf(directory);
      const started = egress ? withEgress(program, paths) : program;
      await writeConfig(directory.configFile, {
        ...started.config,
        host_socket: paths.hostSocket,
        guest_socket: paths.guestSocket,
        ...(dialled && { dial_socket: paths.dialSocket }),
        max_message_bytes: options.maxMessageBytes,
      });
      signal.throwIfAborted();
      const child = await sandbox.start({ program: started, directory }, signal);
      const tail: string[] = [];
      const onOutput = (line: GuestLine): void =>
        options.onOutput(guest?.runs.attribute(line) ?? unattributed(line));
      const { pid } = child;
      const onDebugger = (port?: number): void => options.debug?.onDebugger(pid, port);
      const onAlive = (): void => guest?.noteAlive();
      const readers = { ...options, onOutput, onDebugger, onAlive };
      const { isReady, isRead } = watchOutput(child, program, readers, tail);
      const exited = watchExit(child, program, tail, isRead);
      void child.gone.then(() => options.debug?.onGone(pid));
      const parts = { checkpoints, egress, dialled };
      guest = new GuestProcess(child, exited, parts, directory, options);
      if (pid !== 0 && sandbox.kind === 'none') await writeFile(directory.pidFile, String(pid));
      await firstOf(isReady, guest.exited, signal, options);
      guest.#agents = new AgentsClient(dialled ? directory.frontSocket : directory.guestSocket, {
        maxMessageBytes: options.maxMessageBytes,
        limits: options.limits ?? guestLimits,
        patience,
      });
      return guest;
    } catch (error) {
      if (guest) await guest.close();
      else {
        dialled?.close();
        checkpoints?.close();
        await egress?.close();
        await directory.remove();
      }
      throw error;
    }
  }

  /** The client for calls to it. */
  get agents(): AgentsClient {
    if (!this.#agents) throw new Error('A guest is not called before it is ready.');
    return this.#agents;
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** Its private folder. */
  get directory(): string {
    return this.#directory.path;
  }

  /** True as soon as the process has exited, also while its last output arrives. */
  get hasExited(): boolean {
    return this.#child.hasExited;
  }

  /** True while a debugger may stop it at a breakpoint, and until it has had time to respond after that. */
  get isHeld(): boolean {
    const { blockedMs, livenessEveryMs } = this.#limits;
    return this.#debug?.patience.wasHeldWithin(blockedMs + livenessEveryMs) ?? false;
  }

  get isDebugged(): boolean {
    return this.#debug !== undefined;
  }

  /** True when its sandbox lost it, which is not a crash. */
  get wasLost(): boolean {
    return this.#child.wasLost ?? false;
  }

  /** True when it was killed because it gave no sign of life, which is not a crash. */
  get wasStuck(): boolean {
    return this.#stuck !== undefined;
  }

  /**
   * Asks whether the process executes at all; resolves on its response. A separate thread responds, which waits neither
   * for the event loop nor for agents: in Python it needs the interpreter lock, in JavaScript only CPU time.
   */
  signOfLife(): Promise<void> {
    return new Promise((resolve) => {
      this.#asked.add(resolve);
      const { stdin } = this.#child;
      // A request that it has not read yet suffices.
      if (stdin.writableLength === 0) stdin.write('\n');
    });
  }

  /** Kills it immediately: a stopped process handles no other signal. Its runs end with the sentence. */
  async killStuck(sentence: string): Promise<void> {
    this.#stuck = sentence;
    await this.#child.kill();
  }

  noteAlive(): void {
    for (const resolve of this.#asked) resolve();
    this.#asked.clear();
  }

  /**
   * Calls the listener once the process has exited; returns a function that removes it. For callers that are discarded
   * before the guest: a `then` on `exited` would be kept until the guest exits.
   */
  onExit(listener: (message: string) => void): () => void {
    if (this.#exit !== undefined) listener(this.#exit);
    else this.#onExit.add(listener);
    return () => this.#onExit.delete(listener);
  }

  /** Ends the process, with SIGKILL when it does not end by itself, and removes its folder. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#child.stop(this.#limits.stopGraceMs);
    await this.exited;
    this.#agents?.close();
    this.#dialled?.close();
    this.checkpoints.close();
    await this.#egress?.close();
    await this.#directory.remove();
  }
}

interface Parts {
  checkpoints: CheckpointServer;
  egress: Closable | undefined;
  dialled: DialledConnections | undefined;
}

interface Closable {
  close(): Promise<void>;
}

async function writeConfig(file: string, config: Record<string, unknown>): Promise<void> {
  await writeFile(file, JSON.stringify(config), { mode: 0o600 });
}

function patienceOf({ debug }: GuestProcessOptions): Patience {
  return debug?.patience ?? plainPatience;
}

async function firstOf(
  isReady: Promise<void>,
  exited: Promise<string>,
  signal: AbortSignal,
  options: GuestProcessOptions,
): Promise<void> {
  const { limits = guestLimits, debug } = options;
  let inTime = (): void => undefined;
  let abort: (() => void) | undefined;
  const late = new Promise<string>((resolve) => {
    const limitMs = debug?.waitsForClient ? limits.debugWaitMs : limits.readyMs;
    const sentence = `The guest was not ready within ${limitMs / 1000} s.`;
    inTime = patienceOf(options).after(limitMs, () => resolve(sentence));
    abort = () => resolve('The service is stopping.');
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
  });
  const failure = await Promise.race([isReady, exited, late]);
  inTime();
  if (abort) signal.removeEventListener('abort', abort);
  if (typeof failure === 'string') throw new ServiceError('guest_unavailable', failure);
}

/** No run exists before the guest has been created. */
function unattributed({ runUuid: _, ...line }: GuestLine): AttributedLine {
  return line;
}
