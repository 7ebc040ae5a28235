/** Composition of the guests: the sandbox they run in, and who hears of their agents. */
import type { AgentRegistry } from './agents/agent-registry.ts';
import { learnFrom } from './agents/learn-from.ts';
import { readManifest, type Manifest } from './agents/manifest.ts';
import { requireSameAuth } from './agents/used-auth.ts';
import type { ContainerConfig } from './config/sandbox-config.ts';
import type { ServiceConfig } from './config/service-config.ts';
import { isServiceError, ServiceError } from './errors/service-error.ts';
import type { GuestApiPort } from './guest/api-port.ts';
import type { EgressMetrics } from './guest/egress/egress-proxy.ts';
import type { EgressRule } from './guest/egress/egress-rule.ts';
import type { OpenEgress } from './guest/egress/program-egress.ts';
import type { GuestPool } from './guest/guest-pool.ts';
import { requireReadable } from './guest/sandbox/sandbox-user.ts';
import type { ImageSandbox } from './guest/sandbox/port.ts';
import type { InstallerEgress, Sandboxed } from './guest/sandboxed-guests.ts';
import { startGuests } from './guest/start-guests.ts';
import type { GuestStorePort } from './guest/store-port.ts';
import type { GuestWeb } from './guest/web-guest.ts';
import type { Logger } from './observability/logger.ts';
import { version } from './version.ts';

export interface GuestDeps {
  manifest: Manifest;
  agents: AgentRegistry;
  instanceId: string;
  logger: Logger;
  metrics: EgressMetrics;
  onProgress(step: string): void;
  signal?: AbortSignal;
  store: GuestStorePort | undefined;
  web: GuestWeb | undefined;
  api: GuestApiPort;
  /** The manifest as a reload has found it. */
  onManifest(current: Manifest): void;
}

/** Guests that start when they are told to. Rejects with `config_invalid` when their sandbox can't be had. */
export async function openGuests(config: ServiceConfig, deps: GuestDeps): Promise<GuestPool> {
  const { manifest, agents, logger, onProgress, store, web, api } = deps;
  const { userEnvironment, environment, checkpointMaxSize, ...settings } = config.guest;
  const sandboxed = await openSandbox(config, deps);
  return startGuests({
    ...settings,
    sourceDir: config.sourceDir,
    manifest,
    // Decisions: "guest environment".
    environment: (current) => ({
      ...(sandboxed ? {} : userEnvironment),
      ...current.environment,
      ...environment,
    }),
    ...(sandboxed && { sandboxed }),
    maxMessageBytes: checkpointMaxSize,
    logger,
    cacheDir: config.cacheDir,
    onProgress,
    isHeldBack: true, // until the debugger has its port
    onDescribed: (described) => learnFrom(described, { agents, logger }),
    async readManifest() {
      const current = await readManifest(config.sourceDir, userEnvironment);
      if (config.api.auth?.kind !== 'oidc') requireSameAuth(current, manifest);
      deps.onManifest(current);
      return current;
    },
    ...(store && { store }),
    ...(web && { web }),
    api,
  });
}

/** The sandbox with its images, found before anything is promised; nothing for plain processes. */
async function openSandbox(config: ServiceConfig, deps: GuestDeps): Promise<Sandboxed | undefined> {
  const { container, userEnvironment } = config.guest;
  if (container === undefined) return undefined;
  const images = {
    python: container.images.python ?? `agent-runtime-guest-python:${version}`,
    javascript: container.images.javascript ?? `agent-runtime-guest-node:${version}`,
  };
  const { manifest, onProgress, signal = new AbortController().signal } = deps;
  let sandbox: ImageSandbox | undefined;
  try {
    sandbox = container.gvisor
      ? await gvisorSandbox(config, container, container.gvisor, deps)
      : await dockerSandbox(config, container.limits, deps.instanceId);
    await requireReadable(manifest.sourceFolders);
    const languages = new Set(manifest.agents.map(({ language }) => language));
    for (const language of languages) await sandbox.image(images[language], { onProgress, signal });
    return { sandbox, images, userEnvironment, ...(await egressOf(config.guest.network, deps)) };
  } catch (error) {
    await sandbox?.close();
    if (!isServiceError(error) || error.code !== 'guest_unavailable') throw error;
    // Nothing runs yet: what is wrong is how the service was started.
    throw new ServiceError('config_invalid', error.message, { cause: error });
  }
}

/** The sandbox's own: what goes through the proxy needs none. */
function ownNetwork({ mode }: ServiceConfig['guest']['network']): 'none' | 'host' {
  return mode === 'host' ? 'host' : 'none';
}

/** The ways to the network through the service; none for guests that have the network of this machine. */
async function egressOf(
  { mode, allow }: ServiceConfig['guest']['network'],
  { logger, metrics }: GuestDeps,
): Promise<{ egress?: OpenEgress; installerEgress?: InstallerEgress }> {
  if (mode === 'host') return {};
  // Loaded only where it is used.
  const { startEgressProxy } = await import('./guest/egress/egress-proxy.ts');
  const { installerRules } = await import('./guest/egress/installer-egress.ts');
  const through =
    (rules: readonly EgressRule[] | undefined): OpenEgress =>
    (socketPath, runsOf) =>
      startEgressProxy({ socketPath, runsOf, logger, metrics, ...(rules && { allow: rules }) });
  const forAgents = mode === 'none' ? [] : allow;
  return {
    ...(mode === 'egress' && { egress: through(allow) }),
    installerEgress: (indexSettings) => through(installerRules(indexSettings, forAgents)),
  };
}

/** Likewise rejects where there is no runsc, or one that will not do. */
async function gvisorSandbox(
  { guest }: ServiceConfig,
  { limits }: ContainerConfig,
  { isRootless, runsc: named }: NonNullable<ContainerConfig['gvisor']>,
  { logger, onProgress }: GuestDeps,
): Promise<ImageSandbox> {
  const { findRunsc } = await import('./guest/sandbox/gvisor/find-runsc.ts');
  const { openGvisor } = await import('./guest/sandbox/gvisor/gvisor.ts');
  const { rootOfFolder } = await import('./guest/sandbox/gvisor/root-of-folder.ts');
  const found = await findRunsc(guest.userEnvironment, named);
  if ('problem' in found) throw new ServiceError('guest_unavailable', found.problem);
  const { runsc } = found;
  const options = {
    runsc,
    isRootless,
    network: ownNetwork(guest.network),
    limits,
    rootOf: rootOfFolder,
  } as const;
  const sandbox = await openGvisor({ ...options, logger });
  if (sandbox.notice !== undefined) onProgress(sandbox.notice);
  return sandbox;
}

/** The library for Docker is loaded only where it is used. */
async function dockerSandbox(
  { sourceDir, guest }: ServiceConfig,
  limits: NonNullable<ServiceConfig['guest']['container']>['limits'],
  instance: string,
): Promise<ImageSandbox> {
  const { DockerSandbox } = await import('./guest/sandbox/docker/docker-sandbox.ts');
  return await DockerSandbox.open({
    limits,
    network: ownNetwork(guest.network),
    service: { instance, folder: sourceDir },
    environment: guest.userEnvironment,
  });
}
