/** Which of the sandbox's images are to be made before a start. */
import { buildImages, usualBases } from './build-images.ts';
import type { ServiceConfig } from './config/service-config.ts';
import { isServiceError } from './errors/service-error.ts';
import type { GuestLanguage } from './guest/guest-program.ts';
import { imageSource } from './images/image-source.ts';
import { dockerOf, usualImages } from './open-image-sandbox.ts';

/** Images of this version that the agents need and that are not there. */
export interface MissingImages {
  references: readonly string[];
  /** Rejects with `guest_unavailable` and one sentence. */
  build(onProgress: (line: string) => void): Promise<void>;
}

/**
 * Looks for the images that no setting names: in the Docker daemon, or for gVisor in the cache and then in the registry.
 * Undefined where none of these languages' is missing, and where the sandbox itself cannot be had, which the start says.
 */
export async function missingImages(
  config: ServiceConfig,
  languages: ReadonlySet<GuestLanguage>,
  signal: AbortSignal,
): Promise<MissingImages | undefined> {
  const { container } = config.guest;
  if (container === undefined) return undefined;
  const unnamed = [...languages].filter((language) => container.images[language] === undefined);
  try {
    const isThere = await lookup(config, signal);
    const missing: GuestLanguage[] = [];
    for (const language of unnamed) {
      if (!(await isThere(usualImages[language]))) missing.push(language);
    }
    if (missing.length === 0) return undefined;
    const bases = Object.fromEntries(missing.map((language) => [language, usualBases[language]]));
    return {
      references: missing.map((language) => usualImages[language]),
      build: async (onProgress) => void (await buildImages(config, { signal, onProgress }, bases)),
    };
  } catch (error) {
    if (isServiceError(error) && error.code === 'guest_unavailable') return undefined;
    throw error;
  }
}

async function lookup(
  config: ServiceConfig,
  signal: AbortSignal,
): Promise<(reference: string) => Promise<boolean>> {
  const { container, images } = config.guest;
  if (container && container.gvisor === undefined) {
    const docker = await dockerOf(config, container, 'looking-for-images');
    return (reference) => docker.has(reference);
  }
  const trust = images?.registry ?? { isInsecure: false };
  const source = imageSource({ cacheDir: config.cacheDir, trust });
  const run = { signal, onProgress: () => undefined };
  return async (reference) => {
    try {
      await source.unpack(reference, run);
      return true;
    } catch (error) {
      if (isServiceError(error) && error.code === 'guest_unavailable') return false;
      throw error;
    }
  };
}
