import { spawn, type ChildProcess } from 'node:child_process';
import { writeFile } from 'node:fs/promises';

import { ServiceError } from '../errors/service-error.ts';
import { AgentsClient } from './agents-client.ts';
import { CheckpointServer } from './checkpoint-server.ts';
import { makeGuestDirectory, type GuestDirectory } from './guest-directory.ts';
import { readOutput, type OutputLine } from './guest-output.ts';
import type { GuestProgram } from './guest-program.ts';
import { guestLimits, type GuestLimits } from './limits.ts';
import type { Logger } from './logger.ts';

export interface GuestProcessOptions {
  maxMessageBytes: number;
  logger: Logger;
  onOutput: (line: OutputLine) => void;
  limits?: GuestLimits;
}

/** One running guest: a process, the channel to it and the channel from it. */
export class GuestProcess {
  readonly agents: AgentsClient;
  readonly checkpoints: CheckpointServer;
  /** Resolves with a sentence once the process is gone, for whatever reason. */
  readonly exited: Promise<string>;
  #exit: string | undefined;
  readonly #onExit = new Set<(message: string) => void>();
  #closing: Promise<void> | undefined;
  readonly #child: ChildProcess;
  readonly #directory: GuestDirectory;
  readonly #limits: GuestLimits;

  private constructor(
    child: ChildProcess,
    exited: Promise<string>,
    checkpoints: CheckpointServer,
    directory: GuestDirectory,
    options: GuestProcessOptions,
  ) {
    this.#child = child;
    this.#directory = directory;
    this.#limits = options.limits ?? guestLimits;
    this.checkpoints = checkpoints;
    this.agents = new AgentsClient(directory.guestSocket, options.maxMessageBytes, this.#limits);
    this.exited = exited;
    void exited.then((message) => {
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
    const directory = await makeGuestDirectory();
    let checkpoints: CheckpointServer | undefined;
    let guest: GuestProcess | undefined;
    try {
      checkpoints = await CheckpointServer.start({ ...options, socketPath: directory.hostSocket });
      await writeConfig(directory, program, options.maxMessageBytes);
      signal.throwIfAborted();
      const child = launch(program, directory);
      const tail: string[] = [];
      const isReady = watchOutput(child, program, options, tail);
      const exited = watchExit(child, program, tail);
      guest = new GuestProcess(child, exited, checkpoints, directory, options);
      if (child.pid !== undefined) await writeFile(directory.pidFile, String(child.pid));
      await firstOf(isReady, exited, signal, options.limits ?? guestLimits);
      return guest;
    } catch (error) {
      if (guest) await guest.close();
      else {
        checkpoints?.close();
        await directory.remove();
      }
      throw error;
    }
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Its private folder. */
  get directory(): string {
    return this.#directory.path;
  }

  get hasExited(): boolean {
    return this.#exit !== undefined;
  }

  /**
   * Calls the listener once the process is gone, and returns how to stop listening. For whoever lives shorter than
   * the guest: a `then` on `exited` would be kept for as long as the guest lives.
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
    this.#child.stdin?.destroy();
    signalGroup(this.#child, 'SIGTERM');
    const timer = setTimeout(() => signalGroup(this.#child, 'SIGKILL'), this.#limits.stopGraceMs);
    await this.exited;
    clearTimeout(timer);
    // What the agent's code started and left behind goes with it.
    signalGroup(this.#child, 'SIGKILL');
    this.agents.close();
    this.checkpoints.close();
    await this.#directory.remove();
  }
}

async function writeConfig(
  directory: GuestDirectory,
  program: GuestProgram,
  maxMessageBytes: number,
): Promise<void> {
  const config = {
    ...program.config,
    host_socket: directory.hostSocket,
    guest_socket: directory.guestSocket,
    max_message_bytes: maxMessageBytes,
  };
  await writeFile(directory.configFile, JSON.stringify(config), { mode: 0o600 });
}

function launch(program: GuestProgram, directory: GuestDirectory): ChildProcess {
  return spawn(program.command, [...program.args, directory.configFile], {
    cwd: program.workingDirectory,
    env: program.environment,
    // stdin stays open for as long as we live: its end tells the guest that we are gone, even after kill -9.
    stdio: ['pipe', 'pipe', 'pipe'],
    // A group of its own: Ctrl+C in the terminal must not reach a guest while its runs are finishing.
    detached: process.platform !== 'win32',
  });
}

function watchOutput(
  child: ChildProcess,
  program: GuestProgram,
  options: GuestProcessOptions,
  tail: string[],
): Promise<void> {
  return new Promise((resolve) => {
    const readers = {
      onEvent: (name: string) => {
        if (name === 'ready') resolve();
      },
      onLine: (line: OutputLine) => {
        if (line.stream === 'stderr' && line.runId === undefined) keepTail(tail, line.text);
        const fields = { language: program.language, stream: line.stream, text: line.text };
        const about = line.runId === undefined ? {} : { run_id: line.runId };
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

function watchExit(child: ChildProcess, program: GuestProgram, tail: string[]): Promise<string> {
  return new Promise((resolve) => {
    const about = `The ${program.language} guest`;
    child.once('error', (error) => {
      if (child.pid === undefined) resolve(`${about} could not be started: ${error.message}.`);
    });
    // Not 'close': what the agent's code started may hold the pipes open.
    child.once('exit', (code, killedBy) => {
      const how = killedBy ? `was killed by ${killedBy}` : `exited with code ${code ?? 0}`;
      // Its last words are still in the pipe.
      setImmediate(() => resolve([`${about} ${how}.`, ...tail.slice(-1)].join(' ')));
    });
  });
}

async function firstOf(
  isReady: Promise<void>,
  exited: Promise<string>,
  signal: AbortSignal,
  limits: GuestLimits,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let abort: (() => void) | undefined;
  const late = new Promise<string>((resolve) => {
    const seconds = limits.readyMs / 1000;
    const sentence = `The guest was not ready within ${seconds} s.`;
    timer = setTimeout(() => resolve(sentence), limits.readyMs);
    abort = () => resolve('The service is stopping.');
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
  });
  const failure = await Promise.race([isReady, exited, late]);
  clearTimeout(timer);
  if (abort) signal.removeEventListener('abort', abort);
  if (typeof failure === 'string') throw new ServiceError('guest_unavailable', failure);
}

function signalGroup(child: ChildProcess, name: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32') child.kill(name);
    else process.kill(-child.pid, name);
  } catch {
    // The whole group is gone already.
  }
}
