/*
 * Images of agents (`missing-images.ts`, for a folder `agent-images.ts`): before a start in a sandbox both open the
 * sandbox and pull the images, within limits (`pull-in-time.ts`); images of this version that cannot be pulled are
 * built (`build-images.ts`) if the user agrees, and nothing starts without them. `examine-sandboxes.ts` checks Docker,
 * gVisor and images for diagnostics, with the code of the start; the desktop runs it in a separate process.
 */
/** Finds the sandbox's images that have to be built before a start. */
import { buildImages, usualBases } from './build-images.ts';
import type { ContainerConfig } from '../../config/sandbox-config.ts';
import type { ServiceConfig } from '../../config/service-config.ts';
import { isServiceError, ServiceError } from '../../errors/service-error.ts';
import type { GuestLanguage } from '../../guest/pool/guest-program.ts';
import type { ImageSandbox } from '../../guest/sandbox/port.ts';
import { findImagesProgram } from '../../images/find-program.ts';
import type { SourceRun } from '../../images/image-source.ts';
import { createLogger } from '../../observability/logger.ts';
import { isPulledByDaemon, openImageSandbox, usualImages } from '../open-image-sandbox.ts';
import { pullInTime } from './pull-in-time.ts';

/** Images of this version that the agents need and that exist neither locally nor in a registry. */
export interface MissingImages {
  references: readonly string[];
  /** Rejects with `config_invalid` and one sentence, or with the reason of the signal. */
  build(run: SourceRun): Promise<void>;
}

export interface ImageLookup extends SourceRun {
  /** Called when the sandbox is open: later failures concern the images. */
  onSandbox?(): void;
}

/**
 * Opens the sandbox and pulls its images, as the start does. Returns the images of this version that cannot be pulled,
 * since they can be built; undefined when none is missing. Rejects with `config_invalid` and one sentence when the
 * sandbox, or an image that a setting names, is unavailable.
 */
export async function missingImages(
  config: ServiceConfig,
  languages: ReadonlySet<GuestLanguage>,
  lookup: ImageLookup,
): Promise<MissingImages | undefined> {
  const { container } = config.guest;
  if (container === undefined) return undefined;
  const missing = await asConfiguration(async () => {
    const sandbox = await opened(config, container);
    try {
      lookup.onSandbox?.();
      // The program may have to be built first, which must not count against the limits of a pull.
      if (!isPulledByDaemon(config)) await findImagesProgram(lookup);
      return await missingOf(sandbox, container, languages, lookup);
    } finally {
      await sandbox.close();
    }
  });
  if (missing.length === 0) return undefined;
  const bases = Object.fromEntries(missing.map((language) => [language, usualBases[language]]));
  const advice = `images are built of ${Object.values(bases).join(' and ')}`;
  return {
    references: missing.map((language) => usualImages[language]),
    build: (run) =>
      asConfiguration(async () => void (await buildImages(config, { ...run, advice }, bases))),
  };
}

/** Opens the sandbox without logging: the start reports the same messages. */
function opened(config: ServiceConfig, container: ContainerConfig): Promise<ImageSandbox> {
  const logger = createLogger({ level: 'silent', format: 'json' });
  const onProgress = (): void => undefined;
  return openImageSandbox(config, container, {
    instanceId: 'looking-for-images',
    logger,
    onProgress,
  });
}

async function missingOf(
  sandbox: ImageSandbox,
  { images }: ContainerConfig,
  languages: ReadonlySet<GuestLanguage>,
  lookup: SourceRun,
): Promise<GuestLanguage[]> {
  const missing: GuestLanguage[] = [];
  for (const language of languages) {
    const named = images[language];
    if (named !== undefined) await sandbox.image(named, lookup);
    else if (!(await pullInTime(sandbox, usualImages[language], lookup))) missing.push(language);
  }
  return missing;
}

/** Nothing runs yet: a failure means that the configuration is wrong. */
async function asConfiguration<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!isServiceError(error) || !causes.has(error.code)) throw error;
    throw new ServiceError('config_invalid', error.message, { cause: error });
  }
}

const causes = new Set(['guest_unavailable', 'image_unavailable']);
