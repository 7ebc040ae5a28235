/**
 * What comes before everything else in a start, in modules that load at once: the manifest, the data directory's lock, and
 * the engine, which then starts while the rest of the service is loaded.
 */
import type { Manifest } from '../agents/manifest.ts';
import type { ManifestAuth } from '../agents/manifest-http.ts';
import { usedAuth } from '../agents/used-auth.ts';
import { acquireInstanceLock, type InstanceLock } from '../config/instance-lock.ts';
import { isApiGuarded, openApiWarning } from '../config/open-api.ts';
import type { ServiceConfig } from '../config/service-config.ts';
import { type ReachedEngine, reachEngine } from '../engine/server/reach-engine.ts';
import type { Logger } from '../observability/logger.ts';
import { createMetrics, type Metrics } from '../observability/metrics.ts';
import { version } from '../version.ts';
import { manifestOf, withImageAgents } from './image-agents.ts';

export interface BeginDeps {
  logger: Logger;
  onProgress(step: string): void;
  signal?: AbortSignal;
  isOwnClient?: boolean;
}

/** The first parts of a service. Who does not go on with them closes them. */
export interface BegunService {
  /** With the agent folder of the image, if there is one. */
  config: ServiceConfig;
  manifest: Manifest;
  auth: ManifestAuth | undefined;
  lock: InstanceLock;
  metrics: Metrics;
  /** Its failure is reported to callers that await it. */
  engine: Promise<ReachedEngine>;
  /** Stops an engine that is still starting; resolves when there is none. */
  closeEngine(): Promise<void>;
}

/** Rejects with a ServiceError, and nothing is left open then. */
export async function beginService(given: ServiceConfig, deps: BeginDeps): Promise<BegunService> {
  const { logger, onProgress, signal = new AbortController().signal } = deps;
  const config = await withImageAgents(given, { ...deps, instanceId: 'reading-agents' });
  const manifest = await manifestOf(config);
  for (const warning of manifest.warnings) logger.warn({ warning }, 'manifest');
  const auth = usedAuth(manifest, { auth: config.api.auth, isOwnClient: deps.isOwnClient, logger });
  const warning = openApiWarning(config, auth);
  if (warning !== undefined) onProgress(`Warning: ${warning}`);
  const lock = acquireInstanceLock(config.dataDir);
  const metrics = createMetrics({ version });
  const abandoned = new AbortController();
  let onLaunched = (): void => undefined;
  const launched = new Promise<void>((resolve) => (onLaunched = resolve));
  const engine = reachEngine({
    settings: config.engine,
    isGuarded: isApiGuarded(config, auth),
    dataDir: config.dataDir,
    cacheDir: config.cacheDir,
    ...{ metrics, logger, onProgress, onLaunched },
    signal: AbortSignal.any([signal, abandoned.signal]),
  });
  // Loading modules leaves no time for the steps up to its process, which then needs none of this thread.
  const settled = engine.then(
    () => undefined,
    () => undefined,
  );
  await Promise.race([launched, settled]);
  async function closeEngine(): Promise<void> {
    abandoned.abort();
    const reached = await engine.catch(() => undefined);
    await reached?.close();
  }
  return { config, manifest, auth, lock, metrics, engine, closeEngine };
}
