/** Implements `service image build`: builds this version's images from base images. */
import path from 'node:path';

import type { ServiceConfig } from '../../config/service-config.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { GuestLanguage } from '../../guest/pool/guest-program.ts';
import { imageSource, type SourceRun } from '../../images/image-source.ts';
import { dockerOf, usualImages } from '../open-image-sandbox.ts';
import { version } from '../../version.ts';

/** The default base images, from Docker Hub. */
export const usualBases: Readonly<Record<GuestLanguage, string>> = {
  python: 'python:3.12-slim',
  javascript: 'node:24-slim',
};

/** How images are built. */
export interface BuildRun extends SourceRun {
  /** The end of the sentence that is shown when a base is unavailable. Absent: advice to name another base. */
  readonly advice?: string;
}

/** The image that was made. */
export interface BuiltImage {
  readonly language: GuestLanguage;
  readonly reference: string;
  readonly base: string;
  readonly digest: string;
}

/**
 * Makes this version's images for `serve`, in the cache and, with the sandbox docker, in the daemon. The bases are
 * those of `guest.base_image`, images or folders with the files of a Linux; languages without a base are skipped.
 * Rejects with `config_invalid` or `guest_unavailable` and one sentence.
 */
export async function buildImages(
  config: ServiceConfig,
  run: BuildRun,
  bases: Bases = basesOf(config),
): Promise<BuiltImage[]> {
  const { container, images } = config.guest;
  if (container === undefined) {
    throw new ServiceError('config_invalid', 'Images are for --sandbox docker or gvisor.');
  }
  const trust = images?.registry ?? { isInsecure: false };
  const source = imageSource({ cacheDir: config.cacheDir, trust });
  const docker = container.gvisor ? undefined : await dockerOf(config, container, 'making-images');
  const built: BuiltImage[] = [];
  for (const language of ['python', 'javascript'] as const) {
    const wanted = bases[language];
    if (wanted === undefined) continue;
    const base = absoluteBase(wanted);
    const reference = usualImages[language];
    const labels = { 'agent-runtime.version': version, 'agent-runtime.language': language };
    const { advice } = run;
    const request = { base, layers: [], tag: reference, labels, ...(advice && { advice }) };
    const digest = await source.make(request, run);
    if (docker) run.onProgress(`loading the image ${reference} into Docker`);
    await docker?.load(reference, run, source.withArchive);
    built.push({ language, reference, base, digest });
  }
  return built;
}

/** A folder as an absolute path; anything else is a reference. */
export function absoluteBase(base: string): string {
  return /^\.{0,2}\//.test(base) ? path.resolve(base) : base;
}

type Bases = Readonly<Partial<Record<GuestLanguage, string>>>;

function basesOf({ guest: { container } }: ServiceConfig): Bases {
  const named = container?.images ?? {};
  return Object.keys(named).length > 0 ? named : usualBases;
}
