import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { EngineAuth } from '../../config/engine-auth.ts';
import type { ServiceConfig } from '../../config/service-config.ts';
import { isServiceError } from '../../errors/service-error.ts';
import type { Logger } from '../../observability/logger.ts';
import type { Metrics } from '../../observability/metrics.ts';
import { type Disk, unknownDisk } from '../disk/disk-port.ts';
import { DiskWatch } from '../disk/disk-watch.ts';
import { SEARCH_ATTRIBUTES, UNLISTED } from '../client/search-attributes.ts';
import { provisionEngine } from './provision.ts';
import { startEngineServer, type EngineServer, type EngineServerOptions } from './supervise.ts';

/** An engine that lost its server ends within 5 s; on a loaded machine it takes longer. */
const RELEASE_MS = 15_000;
const RELEASE_POLL_MS = 100;

/** The folder above the server package: the checkout, or whatever the package is installed in. */
const root = fileURLToPath(new URL('../../../..', import.meta.url));

/** An engine that responds, and how to release it. */
export interface ReachedEngine {
  address: string;
  /** What a connection to it authenticates with. */
  auth?: EngineAuth;
  /** The process id of our own engine. */
  pid(): number | undefined;
  /** The disk that it writes to. */
  disk: Disk;
  close(): Promise<void>;
}

/** Where to find or start the engine. */
export interface ReachOptions {
  /** With a target, an engine that runs elsewhere; otherwise our own. */
  settings: Pick<ServiceConfig['engine'], 'target' | 'auth' | 'binary' | 'namespace'>;
  /** The API requires credentials: an engine that requires none would bypass them, and is refused. */
  isGuarded: boolean;
  /** Holds the database of our own engine. */
  dataDir: string;
  /** Keeps a downloaded engine. */
  cacheDir: string;
  /** Absent: nothing is counted. */
  metrics?: Pick<Metrics, 'diskFullRefusals'>;
  logger: Logger;
  onProgress(step: string): void;
  /** The process of our own engine was started; it does not serve yet. */
  onLaunched?(): void;
  signal: AbortSignal;
}

/** Uses the engine of the configuration, or starts our own on the data directory. */
export async function reachEngine(options: ReachOptions): Promise<ReachedEngine> {
  const { settings, isGuarded, dataDir, cacheDir, metrics, logger, onProgress, signal } = options;
  const { onLaunched } = options;
  const { target, auth, binary, namespace } = settings;
  if (target !== undefined) {
    return {
      address: target,
      ...(auth && { auth }),
      pid: () => undefined,
      disk: unknownDisk,
      close: () => Promise.resolve(),
    };
  }
  const isCheckout = existsSync(join(root, 'server/native/engine/go.mod'));
  const { kind, path } = await provisionEngine({
    ...(binary !== undefined && { configured: binary }),
    resources: join(root, 'resources'),
    requiredFrom: import.meta.url,
    ...(isCheckout && { checkout: root }),
    cacheFolder: cacheDir,
    isGuarded,
    signal,
    onProgress,
  });
  const disk = new DiskWatch({
    folder: dataDir,
    logger,
    ...(metrics && { refusals: metrics.diskFullRefusals }),
  });
  try {
    // Before the engine, which may need the space set aside to start at all.
    await disk.start(signal);
    const server = await startOnceFree({
      binary: path,
      kind,
      dataFile: join(dataDir, 'engine.db'),
      namespace,
      searchAttributes: SEARCH_ATTRIBUTES,
      unlisted: UNLISTED,
      logger,
      signal,
      onProgress,
      ...(onLaunched && { onLaunched }),
      onDiskFull: () => disk.reportFull(),
    });
    return {
      address: server.address,
      ...(server.auth && { auth: server.auth }),
      pid: () => server.pid(),
      disk,
      close() {
        disk.close();
        return server.close();
      },
    };
  } catch (error) {
    disk.close();
    throw error;
  }
}

/**
 * Starts the engine on its database. The data directory is ours, so no other server can hold the database: a locked one
 * is being released by the engine of a server that was killed just before.
 */
async function startOnceFree(options: EngineServerOptions): Promise<EngineServer> {
  const end = performance.now() + RELEASE_MS;
  for (;;) {
    try {
      return await startEngineServer(options);
    } catch (error) {
      const isHeld = isServiceError(error) && error.details['reason'] === 'database_locked';
      if (!isHeld || performance.now() > end) throw error;
      await pause(RELEASE_POLL_MS, undefined, { signal: options.signal });
    }
  }
}
