/** Implements `service image pack`: an image with the agents of a folder and everything that they need. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { type Manifest, readManifest } from '../../agents/manifest.ts';
import { absoluteBase, buildImages, usualBases } from './build-images.ts';
import type { ServiceConfig } from '../../config/service-config.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { GuestLanguage } from '../../guest/pool/guest-program.ts';
import type { SourceRun } from '../../images/image-source.ts';
import { missingImages } from './missing-images.ts';
import { dockerOf, imagesOf, usualImages } from '../open-image-sandbox.ts';
import { copyAgentFolder } from './packed-folder.ts';
import { packagesOfAgents, type PackagesDeps } from './packed-packages.ts';
import { version } from '../../version.ts';

export interface PackOptions {
  /** The reference of the image. */
  readonly tag: string;
  /** The image is pushed to the registry of its reference, too. */
  readonly isPushed: boolean;
}

/** The image that was made. */
export interface PackedAgents {
  readonly reference: string;
  readonly base: string;
  readonly digest: string;
  /** Excluded files with variables and credentials. */
  readonly secrets: readonly string[];
}

/**
 * Makes an image of an agent folder for `serve --image`, in the cache and, with the sandbox docker, in the daemon. Its
 * packages are installed in the sandbox. Rejects with `config_invalid`, `manifest_invalid` or `guest_unavailable`.
 */
export async function packAgents(
  config: ServiceConfig,
  { tag, isPushed }: PackOptions,
  deps: PackagesDeps,
): Promise<PackedAgents> {
  const { container, images } = config.guest;
  if (container === undefined) {
    throw new ServiceError('config_invalid', 'Images are for --sandbox docker or gvisor.');
  }
  const manifest = await readManifest(config.sourceDir, { isClosed: true, allowedFolders: [] });
  const run: SourceRun = deps;
  const base = await baseOf(config, manifest, run);
  const source = await imagesOf(images, config.cacheDir);
  const docker = container.gvisor ? undefined : await dockerOf(config, container, 'packing');
  const packages = await packagesOfAgents(config, manifest, {
    ...deps,
    async image() {
      if (!docker) return base;
      const name = path.isAbsolute(base) ? `${tag}-base` : base;
      if (name !== base) await source.make({ base, layers: [], labels: {}, tag: name }, run);
      if (name !== base || !(await docker.has(name)))
        await docker.load(name, run, source.withArchive);
      return name;
    },
  });
  const staged = await mkdtemp(path.join(tmpdir(), 'agents-'));
  try {
    const { secrets } = await copyAgentFolder(config.sourceDir, staged);
    const layers = [{ folder: staged, target: '/agent' }, ...packages.layers];
    const labels = { 'agent-runtime.version': version };
    const env = packages.environment;
    const digest = await source.make({ base, layers, labels, env, tag, isPushed }, run);
    await docker?.load(tag, run, source.withArchive);
    return { reference: tag, base, digest, secrets };
  } finally {
    await rm(staged, { recursive: true, force: true });
  }
}

/** The image with the agents' interpreter; this version's image is built if it does not exist. */
async function baseOf(
  config: ServiceConfig,
  { agents }: Manifest,
  run: SourceRun,
): Promise<string> {
  const languages = new Set<GuestLanguage>(agents.map(({ language }) => language));
  const named = new Set([...languages].map((one) => config.guest.container?.images[one]));
  const [base] = named;
  if (named.size === 1 && base !== undefined) return absoluteBase(base);
  const [language, other] = languages;
  if (language === undefined || other !== undefined) {
    const sentence =
      'The agents are in Python and JavaScript: name one image with both, or a folder, with --base.';
    throw new ServiceError('config_invalid', sentence);
  }
  if (await missingImages(config, languages, run))
    await buildImages(config, run, { [language]: usualBases[language] });
  return usualImages[language];
}
