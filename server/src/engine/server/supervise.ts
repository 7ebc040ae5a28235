/*
 * `engine/server/`: where the engine comes from (`provision.ts`, the first that exists: the configured one, packaged,
 * built before, `temporal` on PATH, the SDK's download, built now) and keeping it alive (`supervise.ts`: ready line,
 * restart on the same port with backoff, stopped last).
 *
 * `native/engine` is a Temporal server of one machine on SQLite with the command line of `temporal server start-dev`.
 * It locks its database, upgrades an older file to its schema (after copying it), reports in one JSON line that it
 * serves or why not, and ends when its standard input does: so a killed parent leaves no process behind.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineAuth } from '../../config/engine-auth.ts';
import { isServiceError } from '../../errors/service-error.ts';
import type { Logger } from '../../observability/logger.ts';
import type {
  DynamicConfig,
  EngineBinary,
  EngineSettings,
  SearchAttributeType,
} from './engine-command.ts';
import { authOf, type EngineIdentity } from './engine-identity.ts';
import { type EngineProcess, startEngineProcess } from './engine-process.ts';

/**
 * What is started, where it keeps its data and which callbacks it has.
 * An engine in memory loses everything when it ends or is restarted.
 */
export type EngineServerOptions = EngineServerBase & ({ dataFile: string } | { inMemory: true });

interface EngineServerBase {
  /** The program, as provisioned. */
  binary: string;
  kind: EngineBinary['kind'];
  /** 0, the default, takes a free port. */
  port?: number;
  namespace?: string;
  searchAttributes?: Readonly<Record<string, SearchAttributeType>>;
  /** The search attribute of workflows that need no entry in lists. */
  unlisted?: string;
  dynamicConfig?: DynamicConfig;
  logger: Logger;
  /** Aborts the start, not an engine that serves: `close` stops that one. */
  signal: AbortSignal;
  onProgress?: (message: string) => void;
  /** The first process was started; it does not serve yet. */
  onLaunched?: () => void;
  /** The engine could not write: the disk is full, or a quota is used up. Called repeatedly. */
  onDiskFull?: () => void;
}

/** An engine that is kept alive until it is closed. */
export interface EngineServer {
  /** Stays the same over restarts. */
  readonly address: string;
  readonly namespace: string;
  /** What its clients must present, over restarts; undefined when it serves every user of this machine. */
  readonly auth: EngineAuth | undefined;
  /** The process that serves now; undefined while there is none. */
  pid(): number | undefined;
  /** Calls the listener whenever a new process serves after the old one died; returns how to remove the listener. */
  onRestart(listener: () => void): () => void;
  /** Stops the engine; resolves when its process is gone. */
  close(): Promise<void>;
}

const freePortAttempts = 5;
const firstDelay = 100;
const longestDelay = 5_000;
/** A process that served this long did not fail at its start. */
const stableAfter = 10_000;

/**
 * Starts an engine and restarts it on the same port when it dies, without a limit. Rejects with
 * `engine_unavailable` and one sentence when it cannot serve at all: `details.reason` is `port_taken`,
 * `database_locked`, `database_newer`, `database_unwritable` or another reason.
 */
export async function startEngineServer(options: EngineServerOptions): Promise<EngineServer> {
  const supervisor = new EngineSupervisor(options);
  await supervisor.start(options.signal);
  return supervisor;
}

class EngineSupervisor implements EngineServer {
  readonly namespace: string;
  readonly #options: EngineServerOptions;
  readonly #settings: EngineSettings;
  readonly #listeners = new Set<() => void>();
  readonly #closing = new AbortController();
  #address = '';
  #identity: EngineIdentity | undefined;
  #process: EngineProcess | undefined;
  #watching: Promise<void> = Promise.resolve();

  constructor(options: EngineServerOptions) {
    this.#options = options;
    this.namespace = options.namespace ?? 'default';
    this.#settings = {
      ...('dataFile' in options ? { dataFile: options.dataFile } : {}),
      namespace: this.namespace,
      searchAttributes: options.searchAttributes ?? {},
      ...(options.unlisted !== undefined && { unlisted: options.unlisted }),
      dynamicConfig: options.dynamicConfig ?? {},
    };
  }

  get address(): string {
    return this.#address;
  }

  get auth(): EngineAuth | undefined {
    return this.#identity && authOf(this.#identity);
  }

  pid(): number | undefined {
    return this.#process?.pid;
  }

  onRestart(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async start(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.#options.onProgress?.('starting the engine');
    const process = await this.#startOnFreePort(signal);
    this.#options.logger.info({ address: this.#address, pid: process.pid }, 'engine ready');
    this.#watching = this.#watch(process);
  }

  /** A port that was free may be taken before the engine listens on it; then another one is tried. */
  async #startOnFreePort(signal: AbortSignal): Promise<EngineProcess> {
    const port = this.#options.port ?? 0;
    for (let left = port === 0 ? freePortAttempts : 1; ; left--) {
      try {
        return await this.#startOnce(port, signal);
      } catch (error) {
        const isTaken = isServiceError(error) && error.details['reason'] === 'port_taken';
        if (!isTaken || left <= 1) throw error;
      }
    }
  }

  async #startOnce(port: number, signal: AbortSignal): Promise<EngineProcess> {
    const process = await this.#launch(port);
    this.#options.onLaunched?.();
    const onAbort = (): void => void process.stop();
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      const { address, identity } = await process.ready;
      this.#address = address;
      this.#identity = identity;
      signal.throwIfAborted();
      return process;
    } catch (error) {
      await process.stop();
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#process?.stop();
    await this.#watching;
  }

  async #launch(port: number): Promise<EngineProcess> {
    const { kind, binary, logger, onDiskFull } = this.#options;
    const process = await startEngineProcess({
      binary: { kind, path: binary },
      settings: this.#settings,
      port,
      ...(this.#identity && { identity: this.#identity }),
      ...(onDiskFull && { onDiskFull }),
      logger,
    });
    this.#process = process;
    void process.ended.then(() => {
      if (this.#process === process) this.#process = undefined;
    });
    return process;
  }

  async #watch(first: EngineProcess): Promise<void> {
    let current: EngineProcess | undefined = first;
    let servedSince = performance.now();
    let delay = firstDelay;
    while (current !== undefined) {
      const { code, signal, failure } = await current.ended;
      if (this.#closing.signal.aborted) return;
      if (performance.now() - servedSince > stableAfter) delay = firstDelay;
      const reason = failure?.sentence;
      this.#options.logger.error({ code, signal, reason, delay }, 'engine died, restarting it');
      do {
        await this.#pause(delay);
        delay = Math.min(delay * 2, longestDelay);
        current = await this.#relaunch();
      } while (current === undefined && !this.#closing.signal.aborted);
      servedSince = performance.now();
    }
  }

  /** Resolves with the process once it serves, with undefined when it failed or is no longer wanted. */
  async #relaunch(): Promise<EngineProcess | undefined> {
    if (this.#closing.signal.aborted) return undefined;
    const { logger } = this.#options;
    const process = await this.#launch(Number(this.#address.split(':').at(-1)));
    try {
      await process.ready;
    } catch (error) {
      await process.stop();
      if (!this.#closing.signal.aborted) logger.error({ err: error }, 'engine did not come back');
      return undefined;
    }
    if (this.#closing.signal.aborted) {
      await process.stop();
      return undefined;
    }
    logger.warn({ address: this.#address, pid: process.pid }, 'engine restarted');
    for (const listener of this.#listeners) listener();
    return process;
  }

  async #pause(delay: number): Promise<void> {
    await sleep(delay, undefined, { signal: this.#closing.signal }).catch(() => undefined);
  }
}
