/** Composition of a sandbox with images, docker or gvisor, without guests' networks and tools. */
import path from 'node:path';

import type { ImageConfig } from '../config/image-config.ts';
import type { ContainerConfig } from '../config/sandbox-config.ts';
import type { ServiceConfig } from '../config/service-config.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { GuestLanguage } from '../guest/pool/guest-program.ts';
import type { DockerSandbox } from '../guest/sandbox/docker/docker-sandbox.ts';
import type { ImageSandbox } from '../guest/sandbox/port.ts';
import type { ImageSource } from '../images/image-source.ts';
import type { Logger } from '../observability/logger.ts';
import { version } from '../version.ts';

export interface ImageSandboxDeps {
  instanceId: string;
  logger: Logger;
  onProgress(step: string): void;
}

/** The images of this version. */
export const usualImages: Readonly<Record<GuestLanguage, string>> = {
  python: `agent-runtime-guest-python:${version}`,
  javascript: `agent-runtime-guest-node:${version}`,
};

/** The sandbox of the settings. Rejects with `guest_unavailable` and one sentence when it is unavailable. */
export async function openImageSandbox(
  config: ServiceConfig,
  container: ContainerConfig,
  deps: ImageSandboxDeps,
): Promise<ImageSandbox> {
  return container.gvisor
    ? await gvisorSandbox(config, container, container.gvisor, deps)
    : await dockerOf(config, container, deps.instanceId);
}

/** The network of the sandbox itself: connections through the proxy need none. */
function ownNetwork({ mode }: ServiceConfig['guest']['network']): 'none' | 'host' {
  return mode === 'host' ? 'host' : 'none';
}

/** Also rejects when runsc is missing or unusable. */
async function gvisorSandbox(
  { guest, cacheDir }: ServiceConfig,
  { limits }: ContainerConfig,
  { isRootless, runsc: named }: NonNullable<ContainerConfig['gvisor']>,
  { logger }: ImageSandboxDeps,
): Promise<ImageSandbox> {
  const { findRunsc } = await import('../guest/sandbox/gvisor/find-runsc.ts');
  const { openGvisor } = await import('../guest/sandbox/gvisor/gvisor.ts');
  const { rootOfFolder } = await import('../guest/sandbox/gvisor/root-of-folder.ts');
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
  return await openGvisor({
    ...options,
    async rootOf(reference, run) {
      if (path.isAbsolute(reference)) return await rootOfFolder(reference);
      const { folder, config, digest } = await images.unpack(reference, run);
      return { root: folder, env: config.env, id: digest };
    },
  });
}

/** Loads the Docker library on use only. Rejects with `guest_unavailable` without a daemon. */
export async function dockerOf(
  { sourceDir, cacheDir, guest }: ServiceConfig,
  { limits }: ContainerConfig,
  instance: string,
): Promise<DockerSandbox> {
  const docker = await import('../guest/sandbox/docker/docker-sandbox.ts');
  const images = hasTrust(guest.images) ? await imagesOf(guest.images, cacheDir) : undefined;
  return await docker.DockerSandbox.open({
    limits,
    network: ownNetwork(guest.network),
    service: { instance, folder: guest.images?.image ?? sourceDir },
    environment: guest.userEnvironment,
    ...(images && { archived: images.withArchive }),
  });
}

/** True when a daemon pulls the images instead of the service. */
export function isPulledByDaemon({ guest }: ServiceConfig): boolean {
  return guest.sandbox === 'docker' && !hasTrust(guest.images);
}

/** True when the settings change the trust in registries, which the service cannot configure in a daemon. */
function hasTrust(images: ImageConfig | undefined): boolean {
  if (images === undefined) return false;
  const { caFile, caData, isInsecure } = images.registry;
  return isInsecure || caFile !== undefined || caData !== undefined;
}

/** The images of the service's cache, with the registry trust of its settings. */
export async function imagesOf(
  images: ImageConfig | undefined,
  cacheDir: string,
): Promise<ImageSource> {
  const { imageSource } = await import('../images/image-source.ts');
  return imageSource({ cacheDir, trust: images?.registry ?? { isInsecure: false } });
}
