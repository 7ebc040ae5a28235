/** What `service image build` does: the images of this version, out of others. */
import path from 'node:path';

import type { ServiceConfig } from './config/service-config.ts';
import { ServiceError } from './errors/service-error.ts';
import type { GuestLanguage } from './guest/guest-program.ts';
import { imageSource, type SourceRun } from './images/image-source.ts';
import { usualImages } from './open-sandbox.ts';
import { version } from './version.ts';

/** What the images are made of unless it is said; of Docker Hub. */
export const usualBases: Readonly<Record<GuestLanguage, string>> = {
  python: 'python:3.12-slim',
  javascript: 'node:24-slim',
};

/** An image that was made. */
export interface BuiltImage {
  readonly language: GuestLanguage;
  readonly reference: string;
  readonly base: string;
  readonly digest: string;
}

/**
 * Makes the images of this version that `serve` uses, in the cache and, with the sandbox docker, in the daemon. The base
 * is that of `guest.base_image`: an image or a folder with the files of a Linux; languages that it does not name are left
 * out. Rejects with `config_invalid` or `guest_unavailable` and one sentence.
 */
export async function buildImages(config: ServiceConfig, run: SourceRun): Promise<BuiltImage[]> {
  const { container, images, userEnvironment } = config.guest;
  if (container === undefined) {
    throw new ServiceError('config_invalid', 'Images are for --sandbox docker or gvisor.');
  }
  const trust = images?.registry ?? { isInsecure: false };
  const source = imageSource({ cacheDir: config.cacheDir, trust });
  const docker = container.gvisor
    ? undefined
    : await import('./guest/sandbox/docker/docker-sandbox.ts').then(({ DockerSandbox }) =>
        DockerSandbox.open({
          limits: container.limits,
          network: 'none',
          service: { instance: 'image-build', folder: config.sourceDir },
          environment: userEnvironment,
        }),
      );
  const named = Object.entries(container.images).length > 0 ? container.images : usualBases;
  const built: BuiltImage[] = [];
  for (const language of ['python', 'javascript'] as const) {
    const wanted = named[language];
    if (wanted === undefined) continue;
    const base = /^\.{0,2}\//.test(wanted) ? path.resolve(wanted) : wanted;
    const reference = usualImages[language];
    const labels = { 'agent-runtime.version': version, 'agent-runtime.language': language };
    const digest = await source.make({ base, tag: reference, labels }, run);
    await docker?.load(reference, run, source.withArchive);
    built.push({ language, reference, base, digest });
  }
  return built;
}
