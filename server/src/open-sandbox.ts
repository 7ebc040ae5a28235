/** Composition of the sandbox: what guests run in, what images they have and how they reach the network. */
import path from 'node:path';

import type { ImageConfig } from './config/image-config.ts';
import type { ContainerConfig } from './config/sandbox-config.ts';
import type { ServiceConfig } from './config/service-config.ts';
import { isServiceError, ServiceError } from './errors/service-error.ts';
import type { EgressMetrics } from './guest/egress/egress-proxy.ts';
import type { EgressRule } from './guest/egress/egress-rule.ts';
import type { OpenEgress } from './guest/egress/program-egress.ts';
import type { GuestLanguage } from './guest/guest-program.ts';
import type { DockerSandbox } from './guest/sandbox/docker/docker-sandbox.ts';
import type { ImageSandbox } from './guest/sandbox/port.ts';
import { requireReadable } from './guest/sandbox/sandbox-user.ts';
import type { InstallerEgress, McpTools, Sandboxed } from './guest/sandboxed-guests.ts';
import type { ImageSource, SourceRun } from './images/image-source.ts';
import type { Logger } from './observability/logger.ts';
import { version } from './version.ts';

export interface SandboxDeps {
  /** The folders with the agents' code. */
  sourceFolders: readonly string[];
  /** Those that agents are written in. */
  languages: ReadonlySet<GuestLanguage>;
  instanceId: string;
  logger: Logger;
  metrics: EgressMetrics;
  onProgress(step: string): void;
  signal?: AbortSignal;
}

/** The images of this version. */
export const usualImages: Readonly<Record<GuestLanguage, string>> = {
  python: `agent-runtime-guest-python:${version}`,
  javascript: `agent-runtime-guest-node:${version}`,
};

/**
 * The sandbox with its images, found before anything is promised; nothing for plain processes. Rejects with
 * `config_invalid` when they can't be had.
 */
export async function openSandbox(
  config: ServiceConfig,
  deps: SandboxDeps,
): Promise<Sandboxed | undefined> {
  const { container, userEnvironment } = config.guest;
  if (container === undefined) return undefined;
  const images = { ...usualImages, ...container.images };
  const { sourceFolders, languages, onProgress, signal = new AbortController().signal } = deps;
  let sandbox: ImageSandbox | undefined;
  try {
    sandbox = container.gvisor
      ? await gvisorSandbox(config, container, container.gvisor, deps)
      : await dockerOf(config, container, deps.instanceId);
    await requireReadable(sourceFolders);
    for (const language of languages) await sandbox.image(images[language], { onProgress, signal });
    const mcpTools = await mcpToolsOf(config, { onProgress, signal });
    const egress = await egressOf(config.guest.network, deps);
    return { sandbox, images, userEnvironment, ...egress, ...(mcpTools && { mcpTools }) };
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
  { logger, metrics }: SandboxDeps,
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

/** Those of `guest.bundle_mcp_tools`. */
async function mcpToolsOf(
  { guest, cacheDir }: ServiceConfig,
  run: SourceRun,
): Promise<McpTools | undefined> {
  const { removeAbandonedMcpTools, openMcpTools } = await import('./mcp-tools.ts');
  await removeAbandonedMcpTools();
  const reference = guest.images?.mcpToolsImage;
  if (reference === undefined) return undefined;
  return await openMcpTools(await imagesOf(guest.images, cacheDir), reference, run);
}

/** Likewise rejects where there is no runsc, or one that will not do. */
async function gvisorSandbox(
  { guest, cacheDir }: ServiceConfig,
  { limits }: ContainerConfig,
  { isRootless, runsc: named }: NonNullable<ContainerConfig['gvisor']>,
  { logger, onProgress }: SandboxDeps,
): Promise<ImageSandbox> {
  const { findRunsc } = await import('./guest/sandbox/gvisor/find-runsc.ts');
  const { openGvisor } = await import('./guest/sandbox/gvisor/gvisor.ts');
  const { rootOfFolder } = await import('./guest/sandbox/gvisor/root-of-folder.ts');
  const found = await findRunsc(guest.userEnvironment, named);
  if ('problem' in found) throw new ServiceError('guest_unavailable', found.problem);
  const { runsc } = found;
  const images = await imagesOf(guest.images, cacheDir);
  const options = {
    runsc,
    isRootless,
    network: ownNetwork(guest.network),
    limits,
    logger,
  } as const;
  const sandbox = await openGvisor({
    ...options,
    async rootOf(reference, run) {
      if (path.isAbsolute(reference)) return await rootOfFolder(reference);
      const { folder, config, digest } = await images.unpack(reference, run);
      return { root: folder, env: config.env, id: digest };
    },
  });
  if (sandbox.notice !== undefined) onProgress(sandbox.notice);
  return sandbox;
}

/** The library for Docker is loaded only where it is used. Rejects with `guest_unavailable` without a daemon. */
export async function dockerOf(
  { sourceDir, cacheDir, guest }: ServiceConfig,
  { limits }: ContainerConfig,
  instance: string,
): Promise<DockerSandbox> {
  const docker = await import('./guest/sandbox/docker/docker-sandbox.ts');
  const images = hasTrust(guest.images) ? await imagesOf(guest.images, cacheDir) : undefined;
  return await docker.DockerSandbox.open({
    limits,
    network: ownNetwork(guest.network),
    service: { instance, folder: sourceDir },
    environment: guest.userEnvironment,
    ...(images && { archived: images.withArchive }),
  });
}

/** True when registries are trusted otherwise than this machine does, which no daemon can be told by us. */
function hasTrust(images: ImageConfig | undefined): boolean {
  if (images === undefined) return false;
  const { caFile, caData, isInsecure } = images.registry;
  return isInsecure || caFile !== undefined || caData !== undefined;
}

async function imagesOf(images: ImageConfig | undefined, cacheDir: string): Promise<ImageSource> {
  const { imageSource } = await import('./images/image-source.ts');
  return imageSource({ cacheDir, trust: images?.registry ?? { isInsecure: false } });
}
