import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { Logger } from '../../observability/logger.ts';
import { type EngineBinary, engineCommand, type EngineSettings } from './engine-command.ts';
import { type EngineIdentity, identityLine } from './engine-identity.ts';
import {
  engineFailed,
  type EngineFailure,
  failureFromLog,
  logEngineLine,
  parseEngineEvent,
  reportsFullDisk,
} from './engine-event.ts';

/** How an engine ended. */
export interface EngineEnd {
  code: number | null;
  signal: NodeJS.Signals | null;
  failure: EngineFailure | undefined;
}

/** The address that an engine serves, and what its clients must present. */
export interface Served {
  address: string;
  /** Absent: it serves every user of this machine. */
  identity?: EngineIdentity;
}

/** One process that serves or is starting. */
export interface EngineProcess {
  readonly pid: number | undefined;
  /** Resolves once it serves; rejects with `engine_unavailable` when it ends first or takes too long. */
  readonly ready: Promise<Served>;
  /** Never rejects. */
  readonly ended: Promise<EngineEnd>;
  /** Ends the process, by force after the limit; resolves when it is gone. */
  stop(): Promise<void>;
}

const readyLimit = 30_000;
const stopLimit = 10_000;
const keptLines = 20;
const isWindows = process.platform === 'win32';

/** How a process is started. */
export interface LaunchOptions {
  binary: EngineBinary;
  settings: EngineSettings;
  /** 0 takes a free one. */
  port: number;
  /** The identity that connected clients already use; absent: the engine makes one. */
  identity?: EngineIdentity;
  /** A write failed for lack of space. Called repeatedly while that is so. */
  onDiskFull?: () => void;
  logger: Logger;
}

/** Starts an engine and reads its output. */
export async function startEngineProcess(options: LaunchOptions): Promise<EngineProcess> {
  const { binary, settings, port: wantedPort, identity } = options;
  // The CLI does not choose a port by itself.
  const port = wantedPort === 0 && binary.kind === 'cli' ? await freePort() : wantedPort;
  const { program, args, reportsReady } = engineCommand(binary, settings, port);
  const child = spawn(program, args, {
    // Standard input stays open for as long as this process lives: the engine ends when it closes.
    stdio: ['pipe', 'pipe', 'pipe'],
    // In its own process group: the terminal's Ctrl+C is for the service, which stops its engine last.
    detached: !isWindows,
    windowsHide: true,
  });
  if (binary.kind === 'embedded') child.stdin.write(identityLine(identity));
  const polled = reportsReady ? undefined : `127.0.0.1:${port}`;
  return watch(child, { ...options, polled });
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

function watch(
  child: Child,
  { binary, logger, polled, onDiskFull }: LaunchOptions & { polled: string | undefined },
): EngineProcess {
  const lastLines: string[] = [];
  let failure: EngineFailure | undefined;
  const serving = deferred<Served>();
  const over = new AbortController();

  child.stdin.on('error', () => undefined);
  createInterface({ input: child.stderr }).on('line', (line) => {
    lastLines.push(line);
    if (lastLines.length > keptLines) lastLines.shift();
    logEngineLine(logger, line);
    if (reportsFullDisk(line)) onDiskFull?.();
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    const event = parseEngineEvent(line);
    if (event?.event === 'ready' && polled === undefined) {
      const { address, identity } = event;
      if (identity) serving.resolve({ address, identity });
      else serving.reject(engineFailed(withoutIdentity(binary)));
    }
    if (event?.event === 'failed') failure = { reason: event.code, sentence: event.message };
    if (event?.event === 'upgraded') {
      logger.info({ file: event.file, copy: event.copy }, 'engine database upgraded');
    }
    if (event?.event === 'disk_full') logger.error('engine cannot write: the disk is full');
  });

  const ended = new Promise<EngineEnd>((resolve) => {
    child.once('error', (error) => {
      failure ??= {
        reason: 'not_startable',
        sentence: `The engine ${binary.path} cannot be started: ${error.message}.`,
      };
      if (child.pid === undefined) resolve({ code: null, signal: null, failure });
    });
    child.once('close', (code, signal) => {
      if (binary.kind === 'cli') killGroup(child);
      resolve({ code, signal, failure: failure ?? failureFromLog(lastLines) });
    });
  });
  void ended.then((end) => {
    over.abort();
    serving.reject(engineFailed(end.failure ?? unexplained(end, lastLines)));
  });
  const timer = setTimeout(() => {
    const sentence = `The engine did not serve within ${readyLimit / 1000} s.`;
    serving.reject(engineFailed({ reason: 'not_ready', sentence }));
    over.abort();
  }, readyLimit);
  if (polled !== undefined) {
    awaitPolled(polled, over.signal).then(
      () => serving.resolve({ address: polled }),
      () => undefined,
    );
  }
  const settled = (): void => clearTimeout(timer);
  serving.promise.then(settled, settled);

  return { pid: child.pid, ready: serving.promise, ended, stop: () => stop(child, ended) };
}

/** Only the CLI is polled: the client that it takes is not loaded before our own engine is started. */
async function awaitPolled(address: string, signal: AbortSignal): Promise<void> {
  const { awaitServing } = await import('./engine-health.ts');
  await awaitServing(address, signal);
}

/** Identity was requested by a flag: an engine without one would serve every user of this machine. */
function withoutIdentity({ path }: EngineBinary): EngineFailure {
  const sentence = `The engine ${path} asks its clients for no identity, so it is not one of this release.`;
  return { reason: 'not_guarded', sentence };
}

function deferred<T>() {
  let resolve: (value: T) => void = () => undefined;
  let reject: (reason: Error) => void = () => undefined;
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}

function unexplained({ code, signal }: EngineEnd, lastLines: readonly string[]): EngineFailure {
  const how = signal === null ? `with code ${code}` : `by ${signal}`;
  const last = lastLines.at(-1);
  const suffix = last === undefined ? '' : `; its last output: ${last}`;
  return { reason: 'ended', sentence: `The engine ended ${how} before it served${suffix}` };
}

async function stop(child: Child, ended: Promise<EngineEnd>): Promise<void> {
  if (child.pid === undefined) return;
  const timer = setTimeout(() => {
    child.kill('SIGKILL');
    killGroup(child);
  }, stopLimit);
  // Windows has no SIGTERM; there the end of standard input stops the engine.
  if (isWindows) child.stdin.end();
  else child.kill('SIGTERM');
  await ended;
  clearTimeout(timer);
}

function killGroup(child: Child): void {
  if (isWindows || child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The whole group is gone already.
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return address.port;
}
