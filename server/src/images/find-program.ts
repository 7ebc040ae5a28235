import { existsSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ServiceError } from '../errors/service-error.ts';
import { buildGo, findGoBuild, GoBuildError } from '../native/build-go.ts';
import { findGoRoot, linkedLicences } from '../native/linked-licences.ts';
import { type BuildOptions, goPlatform, nativeProgram } from '../native/native-program.ts';
import { executableName, installedProgram, thisPlatform } from '../native/platform-package.ts';

const title = 'program for images';

/** The folder above the server package: the checkout, or the folder in which the package is installed. */
const root = fileURLToPath(new URL('../../..', import.meta.url));

/** File next to the program: the licences of Go and of all linked modules, which are shipped with it. */
export const imagesLicences = 'LICENSES-images.txt';

/** Builds the program, or finds the same build in the cache; returns its file. Throws GoBuildError. */
export function buildImages(options: BuildOptions): Promise<string> {
  const { go = 'go', platform, signal, onProgress } = options;
  const program = nativeProgram('images', title, options);
  const environment = platform ? goPlatform(platform) : {};
  return buildGo(program, {
    go,
    environment,
    async finish({ linked, half, folder }) {
      const goRoot = await findGoRoot(go, program.sources, signal);
      const texts = { go, sources: program.sources, environment, goRoot, signal };
      writeFileSync(path.join(folder, imagesLicences), await linkedLicences(texts));
      renameSync(linked, half);
    },
    signal,
    onProgress,
  });
}

/**
 * The program for images: that of the package or of the desktop; in a checkout an existing build or a new one, which
 * takes a minute. Rejects with `image_unavailable` (reason `program_missing`) when there is none.
 */
export async function findImagesProgram(
  options: Pick<BuildOptions, 'signal' | 'onProgress'> & { requiredFrom?: string; root?: string },
): Promise<string> {
  const { requiredFrom = import.meta.url, root: folder = root, signal, onProgress } = options;
  const { os, cpu } = thisPlatform();
  const beside = path.join(folder, 'engine', `${os}-${cpu}`, executableName('images'));
  if (existsSync(beside)) return beside;
  const installed = installedProgram('images', requiredFrom);
  if (installed !== undefined) return installed;
  const program = nativeProgram('images', title, { checkout: folder });
  const built = findGoBuild(program);
  if (built !== undefined) return built;
  if (!existsSync(program.sources)) throw missing(`this package has none for ${os}-${cpu}`);
  try {
    return await buildImages({ checkout: folder, signal, onProgress });
  } catch (error) {
    if (!(error instanceof GoBuildError)) throw error;
    throw missing(error.message.replace(/\.$/, ''), error);
  }
}

function missing(reason: string, cause?: unknown): ServiceError {
  return new ServiceError('image_unavailable', `There is no ${title}: ${reason}.`, {
    details: { reason: 'program_missing' },
    cause,
  });
}
