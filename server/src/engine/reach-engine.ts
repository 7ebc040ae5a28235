import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from '../observability/logger.ts';
import type { SearchAttributeType } from './server/engine-command.ts';
import { provisionEngine } from './server/provision.ts';
import { startEngineServer } from './server/supervise.ts';

/** What the thread workflows index themselves by. */
const SEARCH_ATTRIBUTES: Readonly<Record<string, SearchAttributeType>> = {
  ThreadStatus: 'Keyword',
  ThreadMeta: 'KeywordList',
  Ephemeral: 'Bool',
  RunStatus: 'Keyword',
  RunAgent: 'Keyword',
};

/** The folder above the server package: the checkout, or whatever the package is installed in. */
const root = fileURLToPath(new URL('../../..', import.meta.url));

/** An engine that answers, and how to let go of it. */
export interface ReachedEngine {
  address: string;
  /** The process id of an engine of our own. */
  pid(): number | undefined;
  close(): Promise<void>;
}

/** Where the engine is taken from. */
export interface ReachOptions {
  /** An engine that runs elsewhere; absent: one of our own. */
  target?: string;
  /** The program for an engine of our own, instead of the one that is found. */
  binary?: string;
  namespace: string;
  /** Holds the database of an engine of our own. */
  dataDir: string;
  /** Keeps a downloaded engine. */
  cacheDir: string;
  logger: Logger;
  onProgress(step: string): void;
  signal: AbortSignal;
}

/** Takes the engine of the configuration, or starts one of our own on the data directory. */
export async function reachEngine(options: ReachOptions): Promise<ReachedEngine> {
  const { target, namespace, dataDir, cacheDir, logger, onProgress, signal } = options;
  if (target !== undefined) {
    return { address: target, pid: () => undefined, close: () => Promise.resolve() };
  }
  const isCheckout = existsSync(join(root, 'server/native/engine/go.mod'));
  const { kind, path } = await provisionEngine({
    ...(options.binary !== undefined && { configured: options.binary }),
    resources: join(root, 'resources'),
    ...(isCheckout && { checkout: root }),
    cacheFolder: cacheDir,
    signal,
    onProgress,
  });
  const server = await startEngineServer({
    binary: path,
    kind,
    dataFile: join(dataDir, 'engine.db'),
    namespace,
    searchAttributes: SEARCH_ATTRIBUTES,
    logger,
    signal,
    onProgress,
  });
  return { address: server.address, pid: () => server.pid(), close: () => server.close() };
}
