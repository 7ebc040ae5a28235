/** Composition of `--install`: what agents need and do not have, and how they get it before a start. */
import { type Manifest, readManifest } from './agents/manifest.ts';
import type { ServiceConfig } from './config/service-config.ts';
import { isServiceError } from './errors/service-error.ts';
import { findMissingPackages } from './guest/packages/find-missing-packages.ts';
import { installPackages } from './guest/packages/install-packages.ts';
import { shownCommands } from './guest/packages/missing-packages.ts';

/** Packages of one language that the folder names and nobody has installed, or the images of the sandbox. */
export interface AgentPackages {
  /** One sentence: what is there, and what is not. */
  because: string;
  /** What `install` runs, as a person would type it; or, without it, why nothing can. */
  command?: string;
  needs?: string;
  /** Rejects with `guest_unavailable` and the last words of the package manager. */
  install(onProgress: (line: string) => void): Promise<void>;
}

/** What is missing for the agents of this folder; nothing where its manifest is wrong, which the start says. Nothing is changed. */
export async function missingAgentPackages(
  config: ServiceConfig,
  signal: AbortSignal,
): Promise<AgentPackages[]> {
  const { sourceDir, guest } = config;
  if (guest.images?.image !== undefined) return []; // the image has all that they need
  const manifest = await readManifest(sourceDir, {
    ...(guest.container && { allowedFolders: guest.container.sourceFolders }),
  }).catch((error: unknown) => {
    if (isServiceError(error) && error.code === 'manifest_invalid') return undefined;
    throw error;
  });
  if (!manifest) return [];
  if (guest.sandbox !== 'none') return await imagesOf(config, manifest, signal);
  const { agents, dependencies, importPaths, pythonVersion } = manifest;
  // Without the manifest's and the env files' variables: package managers run code of strangers.
  const environment = { ...guest.userEnvironment };
  const missing = await findMissingPackages({
    sourceDir,
    agents,
    dependencies,
    projectDirs: importPaths,
    environment,
    signal,
    ...(pythonVersion !== undefined && { pythonVersion }),
    ...(guest.interpreter !== undefined && { interpreter: guest.interpreter }),
  });
  return missing.map((packages) => ({
    because: packages.because,
    ...(packages.needs === undefined
      ? { command: shownCommands(packages) }
      : { needs: packages.needs }),
    install: (onProgress) => installPackages(packages, { environment, signal, onProgress }),
  }));
}

/** A sandbox installs the packages itself, and not into the agent folder: it needs the image to do so. */
async function imagesOf(
  config: ServiceConfig,
  { agents }: Pick<Manifest, 'agents'>,
  signal: AbortSignal,
): Promise<AgentPackages[]> {
  const { missingImages } = await import('./missing-images.ts');
  const languages = new Set(agents.map(({ language }) => language));
  const missing = await missingImages(config, languages, signal);
  if (!missing) return [];
  const { references, build } = missing;
  return [
    {
      because: `The sandbox's images are not there: ${references.join(', ')}.`,
      command: `service image build --sandbox ${config.guest.sandbox}`,
      install: build,
    },
  ];
}
