/** The composition root: the only file that builds everything. */
import { TAKE_OVER_GRACE_MS } from './activities/live-run.ts';
import { createThreadActivities } from './activities/run-agent.ts';
import { createStateReader } from './activities/state-read.ts';
import { createStateUpdater } from './activities/state-update.ts';
import { AgentRegistry } from './agents/agent-registry.ts';
import { createAgentVersion } from './agents/agent-version.ts';
import { createAuthenticator } from './auth/create-authenticator.ts';
import { guestWebOf, usedAuth } from './agents/used-auth.ts';
import { acquireInstanceLock, type InstanceLock } from './config/instance-lock.ts';
import { accessRules, isApiGuarded, mayChooseWho, openApiWarning } from './config/open-api.ts';
import type { ServiceConfig } from './config/service-config.ts';
import { serviceInfo } from './config/service-info.ts';
import { openEngineRoom, type EngineRoom } from './engine/engine-room.ts';
import { reachEngine, type ReachedEngine } from './engine/server/reach-engine.ts';
import { installEngineRuntime } from './engine/worker/thread-worker.ts';
import { workflowBundle } from './engine/worker/workflow-bundle.ts';
import { openExternalStorage, type ExternalStorage } from './storage/external-storage.ts';
import type { Debugging } from './guest/debug/debugging.ts';
import type { GuestPool } from './guest/pool/guest-pool.ts';
import { createAgentApi, type AgentApi } from './http/agent-app/agent-api.ts';
import { createApp, type HttpApp } from './http/app.ts';
import { isLoopbackHost } from './http/request/host-check.ts';
import { listenForMetrics } from './http/server/metrics-app.ts';
import { listen, type HttpListener } from './http/server/server.ts';
import { isStudioBuilt, studioFolder } from './http/server/studio.ts';
import { openTls } from './http/tls/listener-tls.ts';
import { manifestOf, withImageAgents } from './compose/image-agents.ts';
import type { Logger } from './observability/logger.ts';
import { createMetrics, type Metrics } from './observability/metrics.ts';
import type { Tracing } from './observability/tracing.ts';
import { openManifestStore, type ManifestStoreParts } from './compose/manifest-store.ts';
import { openGuests } from './compose/open-guests.ts';
import { openTracing } from './compose/open-on-demand.ts';
import { openPolicies, type Policies } from './compose/open-policies.ts';
import { bothPolicies } from './policy/both-policies.ts';
import { createHandlerPolicy } from './policy/handler-policy.ts';
import { createBundles, type Bundles } from './bundle/bundle-exchange.ts';
import { closeInOrder, drainRuns, takeDown } from './compose/shutdown.ts';
import { health } from './observability/service-health.ts';
import { claimStorage } from './storage/open-storage.ts';
import { createMemoryStream, type MemoryStream } from './streams/memory-stream.ts';
import { version } from './version.ts';

/** The parts of a start, in their order. */
export type StartStep = 'agents' | 'engine' | 'threads' | 'api';

/** What the service is given besides its configuration. */
export interface ServiceDeps {
  logger: Logger;
  /** One line for every step of a start that takes a while. */
  onProgress(step: string): void;
  /** Called as each part of the start begins. */
  onStep?(step: StartStep): void;
  /** The service runs nothing any more, and only a new one will: told once. */
  onFailure?(error: unknown): void;
  /** Gives up the start. */
  signal?: AbortSignal;
  /** Claims of every request, instead of the anonymous ones. */
  principal?: Record<string, unknown>;
  /** Nobody but who started the service calls it, so nobody is authenticated: `service run`. */
  isOwnClient?: boolean;
}

/** A running service. */
export interface Service {
  /** For clients on this machine. */
  readonly url: string;
  /** Where the studio is served, if it is built. */
  readonly studioUrl?: string;
  /**
   * Takes no new requests, lets runs in flight finish for up to `drainMs`, then takes guests and engine down. Runs that
   * are cut off, and queued ones, go on at the next start. Idempotent.
   */
  close(options: { drainMs: number; onProgress?: (activeRuns: number) => void }): Promise<void>;
  /** Takes everything down at once. */
  kill(): Promise<void>;
  /** Writes a run that has ended, its state, checkpoints, events and output, into one file; returns its bytes. */
  writeBundle(runId: string, file: string): Promise<number>;
  /** Reads the policy files again; a version with a mistake changes nothing and is logged. */
  reloadPolicies(): Promise<void>;
  /** The debugger that agents can be run under. */
  readonly debugging: Debugging;
}

interface Parts {
  lock: InstanceLock;
  guests: GuestPool;
  engine: ReachedEngine;
  room: EngineRoom;
  storage: ExternalStorage | undefined;
  streams: MemoryStream;
  bundles: Bundles;
  store: ManifestStoreParts;
  policies: Policies;
  agentApi: AgentApi;
  app: HttpApp;
  listener: HttpListener;
  isStudioServed: boolean;
  metrics: Metrics;
  tracing: Tracing;
  metricsListener?: HttpListener;
}

/** Starts the service; rejects with a ServiceError whose sentence can be shown as it is. */
export async function createService(config: ServiceConfig, deps: ServiceDeps): Promise<Service> {
  const opened: (() => Promise<void> | void)[] = [];
  try {
    const parts = await openParts(config, deps, opened);
    return serviceOf(parts, deps.logger);
  } catch (error) {
    await closeInOrder(opened.reverse());
    throw error;
  }
}

async function openParts(
  given: ServiceConfig,
  deps: ServiceDeps,
  opened: (() => Promise<void> | void)[],
): Promise<Parts> {
  const { logger, onProgress, signal } = deps;
  deps.onStep?.('agents');
  const config = await withImageAgents(given, { ...deps, instanceId: 'reading-agents' });
  const manifest = await manifestOf(config);
  for (const warning of manifest.warnings) logger.warn({ warning }, 'manifest');
  const auth = usedAuth(manifest, { auth: config.api.auth, isOwnClient: deps.isOwnClient, logger });
  const warning = openApiWarning(config, auth);
  if (warning !== undefined) onProgress(`Warning: ${warning}`);
  const lock = acquireInstanceLock(config.dataDir);
  opened.push(() => lock.release());
  const { tls: tlsSettings } = config.api;
  const tls = tlsSettings && (await openTls({ ...tlsSettings, dataDir: config.dataDir, logger }));
  installEngineRuntime(logger);
  const metrics = createMetrics({ version });
  opened.push(() => metrics.close());
  const isTestMode = mayChooseWho(config, auth);
  const policies = await openPolicies(config, { ...deps, metrics, isTestMode });
  opened.push(() => policies.close());

  const tracing = await openTracing(config, lock.instanceId, logger);
  opened.push(() => tracing.close());

  const streams = createMemoryStream();
  opened.push(() => streams.shutdown());
  const store = await openManifestStore(config, manifest, {
    policy: policies.port,
    embedder: { embed: (...wish) => guests.embed(...wish) },
    tracing,
    metrics,
    logger,
  });
  opened.push(() => store.close());
  const agents = new AgentRegistry(manifest.agents);
  const versionStop = new AbortController();
  opened.push(() => versionStop.abort());
  const agentVersion = createAgentVersion(manifest.sourceFolders, versionStop.signal, {
    usesGit: config.guest.container === undefined,
  });
  let { warnings } = manifest;
  const agentApp = deps.isOwnClient === true ? undefined : manifest.app;
  const web = guestWebOf(auth, agentApp);
  const agentApi = createAgentApi();
  const guests = await openGuests(config, {
    ...deps,
    ...{ manifest, agents, web, metrics },
    instanceId: lock.instanceId,
    store: store.agents,
    api: agentApi,
    onManifest(current) {
      agents.replace(current.agents);
      warnings = current.warnings;
      agentVersion.renew(current.sourceFolders);
      store.renew(current);
    },
  });
  opened.push(() => guests.close());
  store.begin();
  const handlers = auth && guests.web && createHandlerPolicy(guests.web);
  if (config.guest.debug) onProgress(await guests.debugging.begin(config.guest.debug));
  guests.start();
  // Guests import their agents while the engine starts.
  const bundling = workflowBundle(onProgress);
  bundling.catch(() => undefined); // awaited below, unless the engine fails first
  const storage = await openExternalStorage(config, metrics, logger);
  if (storage) opened.push(() => storage.payloads.close());
  deps.onStep?.('engine');
  const engine = await reachEngine({
    settings: config.engine,
    isGuarded: isApiGuarded(config, auth),
    dataDir: config.dataDir,
    cacheDir: config.cacheDir,
    metrics,
    logger,
    onProgress,
    signal: signal ?? new AbortController().signal,
  });
  opened.push(() => engine.close());
  const bundlePath = await bundling;
  await guests.web?.requireLoaded(signal ?? new AbortController().signal);

  deps.onStep?.('threads');
  const { namespace, taskQueue } = config.engine;
  const room = await openEngineRoom({
    address: engine.address,
    namespace,
    identity: lock.instanceId,
    ...(engine.auth && { auth: engine.auth }),
    isForeign: config.engine.target !== undefined,
    onWarning: (warning) => logger.warn({ warning }, 'engine'),
    taskQueue,
    dataDir: config.dataDir,
    disk: engine.disk,
    bundlePath,
    ceilings: { ...config.engine, isExternal: storage !== undefined },
    ...(storage && { externalPayloads: storage.payloads }),
    restart: config.engine.runRestart,
    metrics,
    tracing,
    onRunSettled(runId) {
      streams.close(runId);
      guests.output.end(runId);
    },
  });
  opened.push(() => room.close());
  if (storage) await claimStorage(storage.backend, await room.references.engineId());
  metrics.readFrom({
    activeRuns: () => room.local.activeCount(),
    streamLogBytes: () => streams.size(),
    freeDiskBytes: () => engine.disk.freeBytes(),
    guests: guests.figures,
  });
  await startRuns(room, guests, streams, { metrics, tracing }, deps);
  storage?.payloads.collect(room.references, { isShared: config.engine.target !== undefined });

  deps.onStep?.('api');
  const { host = '' } = config.api;
  const stateParts = {
    guests,
    checkpoints: room.checkpoints,
    commits: room.stateCommits,
    rejections: metrics.sizeLimitRejections,
  };
  const bundles = createBundles({
    room,
    streams,
    guests,
    agentVersion,
    refusals: metrics.importsRefused,
  });
  const app = createApp({
    engine: room.port,
    agents,
    agentVersion,
    descriptions: guests,
    streams,
    output: guests.output,
    runSandboxes: guests.runSandboxes,
    stateUpdates: createStateUpdater({ ...stateParts, disk: engine.disk }),
    stateReads: createStateReader(stateParts),
    bundles,
    agentApi,
    ...store.ports,
    policy: bothPolicies(policies.port, handlers),
    ...policies.ports,
    logger,
    version,
    ...accessRules(config, auth),
    bodyLimitBytes: config.api.maxBodyBytes,
    health: () => health(room, guests, store.ports.store),
    info: () =>
      serviceInfo(config, {
        isLoopback: isLoopbackHost(host),
        url: listener.url,
        hasManifestAuth: auth !== undefined,
        manifestWarnings: warnings,
      }),
    ...(config.api.isStudioServed && { studioFolder }),
    metrics,
    tracing,
    ...(agentApp &&
      guests.web && {
        agentApp: { port: guests.web, isTokenShown: config.api.auth?.kind !== 'oidc' },
      }),
    authenticator: createAuthenticator({
      logger,
      ...(config.api.auth && { auth: config.api.auth }),
      ...(deps.principal && { principal: deps.principal }),
      ...(auth &&
        guests.web && {
          manifest: {
            ...auth,
            users: guests.web,
            isDesktop: config.api.serviceToken !== undefined,
          },
        }),
    }),
  });
  const listener = await listen({ app, host, port: config.api.port, ...(tls && { tls }) });
  opened.push(() => listener.close({ drainMs: 0 }));
  lock.setAddress(listener.url);
  const metricsListener = await listenForMetrics(config, { metrics, logger, version });
  opened.push(() => metricsListener?.close({ drainMs: 0 }));
  const parts = { lock, guests, engine, room, storage, streams, app, listener, metrics, tracing };
  return {
    ...parts,
    ...{ agentApi, bundles, policies },
    isStudioServed: config.api.isStudioServed && isStudioBuilt(),
    ...(metricsListener && { metricsListener }),
    store,
  };
}

async function startRuns(
  room: EngineRoom,
  guests: GuestPool,
  streams: MemoryStream,
  { metrics, tracing }: { metrics: Metrics; tracing: Tracing },
  { logger, onFailure }: ServiceDeps,
): Promise<void> {
  const { checkpoints, payloads, completion, local } = room;
  const activities = createThreadActivities({
    guests,
    checkpoints,
    payloads,
    completion,
    streams,
    local,
    payloadBytes: room.payloadBytes,
    rejections: metrics.sizeLimitRejections,
    takeOverGraceMs: TAKE_OVER_GRACE_MS,
    tracing,
  });
  const { lostAttempts, stopped } = await room.start(activities);
  if (lostAttempts > 0) logger.warn({ attempts: lostAttempts }, 'taking over interrupted runs');
  stopped.catch((error: unknown) => {
    logger.error({ err: error }, 'the worker failed');
    onFailure?.(error);
  });
}

function serviceOf(parts: Parts, logger: Logger): Service {
  const { agentApi, lock, guests, engine, room, listener, metrics, metricsListener } = parts;
  let closing: Promise<void> | undefined;

  async function close(drainMs: number, onProgress?: (activeRuns: number) => void): Promise<void> {
    room.local.stopStarting();
    const requests = listener.close({ drainMs });
    await drainRuns({ local: room.local, drainMs, ...(onProgress && { onProgress }) });
    await takeDown(parts, requests);
    logger.info({}, 'service stopped');
  }

  return {
    url: listener.url,
    ...(parts.isStudioServed && { studioUrl: `${listener.url}/studio/` }),
    close: ({ drainMs, onProgress }) => (closing ??= close(drainMs, onProgress)),
    async kill() {
      agentApi.stop();
      const requests = listener.close({ drainMs: 0 });
      const scrapes = metricsListener?.close({ drainMs: 0 });
      await Promise.allSettled([requests, scrapes, guests.close(), engine.close()]);
      await parts.policies.close();
      metrics.close();
      lock.release();
    },
    writeBundle: parts.bundles.writeRun,
    reloadPolicies: () => parts.policies.reload(),
    debugging: guests.debugging,
  };
}
