/** Composition of the images that a start needs: those of the languages of a folder's agents. */
import { readManifest } from '../../agents/manifest.ts';
import type { ServiceConfig } from '../../config/service-config.ts';
import { isServiceError } from '../../errors/service-error.ts';
import type { ImageLookup, MissingImages } from './missing-images.ts';

export type { ImageLookup, MissingImages } from './missing-images.ts';

/**
 * Images that the agents' sandbox needs and that can only be built; undefined when there are none, without a sandbox,
 * and for an invalid manifest, which the start reports. Other images are pulled; rejects as `missingImages` does.
 */
export async function missingAgentImages(
  config: ServiceConfig,
  lookup: ImageLookup,
): Promise<MissingImages | undefined> {
  const { container, images } = config.guest;
  // An image with the agents inside contains everything that they need.
  if (container === undefined || images?.image !== undefined) return undefined;
  const allowedFolders = container.sourceFolders;
  const manifest = await readManifest(config.sourceDir, { allowedFolders }).catch(
    (error: unknown) => {
      if (isServiceError(error) && error.code === 'manifest_invalid') return undefined;
      throw error;
    },
  );
  if (!manifest) return undefined;
  const { missingImages } = await import('./missing-images.ts');
  return await missingImages(
    config,
    new Set(manifest.agents.map(({ language }) => language)),
    lookup,
  );
}
