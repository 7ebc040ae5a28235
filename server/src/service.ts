/** The composition root: the only file that builds all parts. */
import { TAKE_OVER_GRACE_MS } from './activities/live-run.ts';
import { AgentStateReader } from './activities/state-read.ts';
import { StateUpdater } from './activities/state-update.ts';
import { AgentRegistry } from './agents/agent-registry.ts';
import { createAgentVersion } from './agents/agent-version.ts';
import { createAuthenticator } from './auth/create-authenticator.ts';
import { guestWebOf } from './agents/used-auth.ts';
import type { InstanceLock } from './config/instance-lock.ts';
import { accessRules, isApiGuarded, mayChooseWho } from './config/open-api.ts';
import type { ServiceConfig } from './config/service-config.ts';
import { serviceInfo } from './config/service-info.ts';
import type { EngineRoom } from './engine/engine-room.ts';
import type { RunId } from './model/ids.ts';
import type { RunStatus } from './model/run/run.ts';
import type { Debugging } from './guest/debug/debugging.ts';
import type { GuestPool } from './guest/pool/guest-pool.ts';
import { type AgentApi, createAgentApi } from './http/agent-app/agent-api.ts';
import type { HttpApp } from './http/app.ts';
import { isLoopbackHost } from './http/request/host-check.ts';
import type { HttpListener } from './http/server/server.ts';
import { openTls } from './http/tls/listener-tls.ts';
import { beginService, type BegunService } from './compose/begin-service.ts';
import type { Logger } from './observability/logger.ts';
import type { Metrics } from './observability/metrics.ts';
import type { Tracing } from './observability/tracing.ts';
import { openTracing } from './compose/open-on-demand.ts';
import { type ManifestStoreParts, openManifestStore } from './compose/manifest-store.ts';
import { watchMissingPackages } from './compose/missing-packages-watch.ts';
import { openGuests } from './compose/open-guests.ts';
import { openPolicies, type Policies } from './compose/open-policies.ts';
import { type Background, openBackground } from './compose/background.ts';
import { keepAssistants } from './compose/keep-assistants.ts';
import { catchUp, openRunHistory } from './compose/run-history.ts';
import type { AssistantsPort } from './assistants/port.ts';
import type { RunHistory } from './history/open-history.ts';
import { bothPolicies } from './policy/built-in-policies.ts';
import { createHandlerPolicy } from './policy/handler-policy.ts';
import { type Bundles, createBundles } from './bundle/bundle-exchange.ts';
import type { EngineSide } from './compose/engine-side.ts';
import { freeMemoryAtRest } from './compose/idle-memory.ts';
import { drainRuns, takeDown } from './compose/shutdown.ts';
import { health } from './observability/service-health.ts';
import { createMemoryStream, type MemoryStream } from './streams/memory-stream.ts';
import { version } from './version.ts';

/** The phases of a start, in their order. */
export type StartStep = 'agents' | 'engine' | 'threads' | 'api';

/** Dependencies of the service besides its configuration. */
export interface ServiceDeps {
  logger: Logger;
  /** Receives one line for every slow step of a start. */
  onProgress(step: string): void;
  /** Called when a phase of the start begins. */
  onStep?(step: StartStep): void;
  /** Called once when the service can run nothing any more and has to be replaced by a new one. */
  onFailure?(error: unknown): void;
  /** Aborts the start. */
  signal?: AbortSignal;
  /** Claims of every request, instead of anonymous ones. */
  principal?: Record<string, unknown>;
  /** Its first parts, if they are there already: `beginService` of the same configuration. */
  begun?: BegunService;
  /** Only the process that started the service calls it, so no caller is authenticated: `service run`. */
  isOwnClient?: boolean;
}

/** A running service. */
export interface Service {
  /** The URL for clients on this machine. */
  readonly url: string;
  /** The address of the studio, if it is built. */
  readonly studioUrl?: string;
  /**
   * Accepts no new requests, lets runs in flight finish for up to `drainMs`, then stops guests and engine. Interrupted
   * and queued runs continue at the next start. Idempotent.
   */
  close(options: { drainMs: number; onProgress?: (activeRuns: number) => void }): Promise<void>;
  /** Shuts everything down at once. */
  kill(): Promise<void>;
  /**
   * Writes a run that has ended, its state, checkpoints, events and output, into one file; returns the bytes written.
   */
  writeBundle(runId: string, file: string): Promise<number>;
  /** Reads the policy files again; an invalid version changes nothing and is logged. */
  reloadPolicies(): Promise<void>;
  /** The debugger for agents. */
  readonly debugging: Debugging;
}

interface Parts extends EngineSide {
  begun: BegunService;
  lock: InstanceLock;
  guests: GuestPool;
  streams: MemoryStream;
  history?: RunHistory | undefined;
  assistants: AssistantsPort;
  background: Background;
  bundles: Bundles;
  store: ManifestStoreParts;
  policies: Policies;
  agentApi: AgentApi;
  app: HttpApp;
  listener: HttpListener;
  isStudioServed: boolean;
  metrics: Metrics;
  tracing: Tracing;
  sourceWatch: AbortController;
  idleMemory: { close(): void };
  metricsListener?: HttpListener | undefined;
}

/** Starts the service; rejects with a ServiceError whose message is meant for users. */
export async function createService(config: ServiceConfig, deps: ServiceDeps): Promise<Service> {
  const open: Partial<Parts> = {};
  try {
    return serviceOf(await openParts(config, deps, open), deps.logger);
  } catch (error) {
    await takeDown(open).catch((err: unknown) => deps.logger.error({ err }, 'failed start'));
    throw error;
  }
}

/** Opens all parts in their order, and records the open ones in `open`. */
async function openParts(
  given: ServiceConfig,
  deps: ServiceDeps,
  open: Partial<Parts>,
): Promise<Parts> {
  const { logger, onProgress, signal = new AbortController().signal } = deps;
  deps.onStep?.('agents');
  const begun = (open.begun = deps.begun ?? (await beginService(given, deps)));
  const { config, manifest, auth } = begun;
  const lock = (open.lock = begun.lock);
  const metrics = (open.metrics = begun.metrics);
  const { tls: tlsSettings } = config.api;
  const tls = tlsSettings && (await openTls({ ...tlsSettings, dataDir: config.dataDir, logger }));
  const isTestMode = mayChooseWho(config, auth);
  const policies = await openPolicies(config, { ...deps, metrics, isTestMode });
  open.policies = policies;
  const tracing = (open.tracing = await openTracing(config, lock.instanceId, logger));
  const streams = (open.streams = createMemoryStream());
  const store = await openManifestStore(config, manifest, {
    policy: policies.port,
    embedder: { embed: (...wish) => guests.embed(...wish) },
    tracing,
    metrics,
    logger,
  });
  open.store = store;
  const agents = new AgentRegistry(manifest.agents);
  const sourceWatch = (open.sourceWatch = new AbortController());
  const agentVersion = createAgentVersion(manifest.sourceFolders, sourceWatch.signal, {
    usesGit: config.guest.container === undefined,
  });
  let { warnings } = manifest;
  const packages = watchMissingPackages(config, { logger, signal: sourceWatch.signal });
  const agentApp = deps.isOwnClient === true ? undefined : manifest.app;
  const web = guestWebOf(auth, agentApp);
  const agentApi = (open.agentApi = createAgentApi());
  const guests = await openGuests(config, {
    ...deps,
    ...{ manifest, agents, web, metrics },
    instanceId: lock.instanceId,
    store: store.agents,
    api: agentApi,
    onNotLoaded: packages.look,
    onManifest(current) {
      agents.replace(current.agents);
      warnings = current.warnings;
      agentVersion.renew(current.sourceFolders);
      store.renew(current);
    },
  });
  open.guests = guests;
  store.begin();
  const handlers = auth && guests.web && createHandlerPolicy(guests.web);
  if (config.guest.debug) onProgress(await guests.debugging.begin(config.guest.debug));
  // Guests import their agents while the engine starts.
  guests.start();
  const recorded = deps.isOwnClient === true ? undefined : config.history;
  const history = await openRunHistory(recorded, { output: guests.output, metrics, logger });
  open.history = history;
  const assistants = (open.assistants = keepAssistants(config));
  const background = (open.background = openBackground(config, { metrics, logger }));
  const engineOptions = {
    ...{ lock, metrics, tracing, logger, signal, onProgress },
    isGuarded: isApiGuarded(config, auth),
    engine: begun.engine,
    onWarning: (sentence: string) => logger.warn({ warning: sentence }, 'engine'),
    onEngine: () => deps.onStep?.('engine'),
    async onThreads() {
      await guests.web?.requireLoaded(signal);
      deps.onStep?.('threads');
    },
    onRunSettled(runId: RunId) {
      streams.close(runId);
      guests.output.end(runId);
      background.settled(runId);
    },
    onRunStatus: (runId: RunId, status: RunStatus) => history?.recorder.settled(runId, status),
  };
  // What takes long to load comes in the order of its use: guests and the engine start meanwhile.
  const { openEngineSide } = await import('./compose/engine-side.ts');
  const { engine, room, storage } = await openEngineSide(config, engineOptions, open);
  metrics.readFrom({
    activeRuns: () => room.local.activeCount(),
    streamLogBytes: () => streams.size(),
    freeDiskBytes: () => engine.disk.freeBytes(),
    guests: guests.figures,
  });
  const starting = startRuns(
    room,
    guests,
    streams,
    { metrics, tracing, history: history?.recorder },
    deps,
  );
  starting.catch(() => undefined); // awaited below
  const { createApp, isStudioBuilt, listen, listenForMetrics, studioFolder } = await loadApi();
  const wasKilled = (await starting) > 0;
  const { signal: closed } = sourceWatch;
  if (history) void catchUp(history, room.engine, { wasKilled, logger, signal: closed });
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
    engine: room.engine,
    agents,
    agentVersion,
    descriptions: guests,
    streams,
    history,
    assistants,
    crons: background.crons,
    webhooks: background.webhooks,
    output: guests.output,
    runSandboxes: guests.runSandboxes,
    models: guests,
    stateUpdates: new StateUpdater({ ...stateParts, disk: engine.disk }),
    stateReads: new AgentStateReader(stateParts),
    bundles,
    agentApi,
    ...store.ports,
    policy: bothPolicies(policies.port, handlers),
    ...policies.ports,
    logger,
    version,
    ...accessRules(config, auth),
    bodyLimitBytes: config.api.maxBodyBytes,
    compatCheckpointHistory: config.engine.compatCheckpointHistory,
    health: () => health(room, guests, store.ports.store),
    info: () =>
      serviceInfo(config, {
        isLoopback: isLoopbackHost(host),
        url: listener.url,
        hasManifestAuth: auth !== undefined,
        manifestWarnings: warnings,
        missingPackages: agents.list().some(({ error }) => error) ? packages.found() : [],
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
  open.listener = listener;
  lock.setAddress(listener.url);
  if (deps.isOwnClient !== true) background.begin(app, room.engine);
  const metricsListener = await listenForMetrics(config, { metrics, logger, version });
  const idleMemory = freeMemoryAtRest({
    isAtRest: () => room.local.activeCount() === 0,
    collectOthers: () => room.collectGarbage(),
  });
  return {
    ...{ begun, lock, guests, engine, room, storage, streams, history, assistants, background },
    ...{ store, policies, metrics, tracing },
    ...{ agentApi, app, bundles, listener, metricsListener, sourceWatch, idleMemory },
    isStudioServed: config.api.isStudioServed && isStudioBuilt(),
  };
}

/** Loaded while the worker starts. */
async function loadApi() {
  const { createApp } = await import('./http/app.ts');
  const { listen } = await import('./http/server/server.ts');
  const { listenForMetrics } = await import('./http/server/metrics-app.ts');
  const { isStudioBuilt, studioFolder } = await import('./http/server/studio.ts');
  return { createApp, isStudioBuilt, listen, listenForMetrics, studioFolder };
}

/** What runs are reported to. */
interface RunReports {
  metrics: Metrics;
  tracing: Tracing;
  history: RunHistory['recorder'] | undefined;
}

/** Resolves with the number of attempts that a killed service has left. */
async function startRuns(
  room: EngineRoom,
  guests: GuestPool,
  streams: MemoryStream,
  { metrics, tracing, history }: RunReports,
  { logger, onFailure }: ServiceDeps,
): Promise<number> {
  const { checkpoints, payloads, completion, local } = room;
  const { createThreadActivities } = await import('./activities/run-agent.ts');
  const activities = createThreadActivities({
    guests,
    checkpoints,
    payloads,
    completion,
    streams,
    local,
    payloadBytes: room.payloadBytes,
    rejections: metrics.sizeLimitRejections,
    shortRuns: metrics.shortRuns,
    takeOverGraceMs: TAKE_OVER_GRACE_MS,
    tracing,
    history,
  });
  const { lostAttempts, stopped } = await room.start(activities);
  if (lostAttempts > 0) logger.warn({ attempts: lostAttempts }, 'taking over interrupted runs');
  stopped.catch((error: unknown) => {
    logger.error({ err: error }, 'the worker failed');
    onFailure?.(error);
  });
  return lostAttempts;
}

function serviceOf(parts: Parts, logger: Logger): Service {
  const { agentApi, idleMemory, lock, guests, engine, room, listener, metrics } = parts;
  const { metricsListener } = parts;
  let closing: Promise<void> | undefined;

  async function close(drainMs: number, onProgress?: (activeRuns: number) => void): Promise<void> {
    room.local.stopStarting();
    await parts.background.stopStarting();
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
      idleMemory.close();
      agentApi.stop();
      void parts.background.close().catch(() => undefined);
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
