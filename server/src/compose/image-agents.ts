/*
 * Agents of `--image` are read before anything else (`image-agents.ts`): the sandbox provides the entries of the
 * image's `/agent` without running any of it (Docker's archive of a container that is never started, the unpacked tree
 * of gVisor), and the copy of them in the cache contains neither links nor packages. It is then used like any other
 * agent folder, but never mounted: guests have the image's own.
 */
/** The service's copy of the agent folder in an image (`--image`), which contains only files. */
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import path from 'node:path';

import { type Manifest, readManifest } from '../agents/manifest.ts';
import type { ServiceConfig } from '../config/service-config.ts';
import { isServiceError, ServiceError } from '../errors/service-error.ts';
import { copyImageFolder } from '../guest/sandbox/image-folder.ts';
import type { SandboxImage } from '../guest/sandbox/port.ts';
import { isThere } from '../guest/process/executable.ts';
import { IMAGE_AGENT_MS } from '../model/limits/image-limits.ts';
import { type ImageSandboxDeps, openImageSandbox } from './open-image-sandbox.ts';

/** The manifest; for an image, without access to other files of this machine. Rejects with `manifest_invalid`. */
export async function manifestOf({ sourceDir, guest }: ServiceConfig): Promise<Manifest> {
  if (guest.images?.image === undefined)
    return await readManifest(sourceDir, {
      outer: guest.userEnvironment,
      ...(guest.container && { allowedFolders: guest.container.sourceFolders }),
    });
  try {
    return await readManifest(sourceDir, { isClosed: true });
  } catch (error) {
    if (!isServiceError(error) || error.code !== 'manifest_invalid') throw error;
    // The image's author knows the folder by its path in the image.
    const sentence = error.message.replaceAll(sourceDir, AGENTS);
    throw new ServiceError(error.code, sentence, { details: error.details, cause: error });
  }
}

/** The configuration with the agent folder of the image, if there is one. Rejects with `config_invalid`. */
export async function withImageAgents(
  config: ServiceConfig,
  deps: ImageSandboxDeps & { signal?: AbortSignal },
): Promise<ServiceConfig> {
  const { container, images } = config.guest;
  if (container === undefined || images?.image === undefined) return config;
  const { onProgress, signal: stop = new AbortController().signal } = deps;
  try {
    const sandbox = await openImageSandbox(config, container, deps);
    try {
      const image = await sandbox.image(images.image, { onProgress, signal: stop });
      const signal = AbortSignal.any([stop, AbortSignal.timeout(IMAGE_AGENT_MS)]);
      const entries = sandbox.entries(image, AGENTS, signal);
      return { ...config, sourceDir: await keptCopy(config, image, entries) };
    } finally {
      await sandbox.close();
    }
  } catch (error) {
    if (!isServiceError(error) || error.code !== 'guest_unavailable') throw error;
    throw new ServiceError('config_invalid', error.message, { cause: error });
  }
}

/** The path within an image. */
const AGENTS = '/agent';

/** Images with the same content share one folder, also across services. */
async function keptCopy(
  { cacheDir }: ServiceConfig,
  { id }: SandboxImage,
  entries: Parameters<typeof copyImageFolder>[0],
): Promise<string> {
  const parent = path.join(cacheDir, 'images', 'agents');
  const target = path.join(parent, createHash('sha256').update(id).digest('hex').slice(0, 24));
  if (await isThere(target)) return target;
  await mkdir(parent, { recursive: true });
  const unfinished = await mkdtemp(path.join(parent, 'unfinished-'));
  try {
    const { copied, leftOut } = await copyImageFolder(entries, unfinished);
    if (copied === 0) {
      const links = leftOut === 0 ? '' : `: it has ${leftOut} links there, which are not followed`;
      throw new ServiceError(
        'guest_unavailable',
        `The image has no agents in ${AGENTS}${links}; make one with \`service image pack <folder> -t <reference>\`.`,
      );
    }
    await rename(unfinished, target);
  } catch (error) {
    if (!(await isThere(target))) throw error; // another process was faster
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return target;
}
