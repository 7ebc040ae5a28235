/** Composition of `--install`: what agents need and do not have, and how they get it before a start. */
import { readManifest } from '../agents/manifest.ts';
import type { ServiceConfig } from '../config/service-config.ts';
import { isServiceError } from '../errors/service-error.ts';
import { findMissingPackages, installPackages } from '../guest/packages/install-packages.ts';
import { shownCommands } from '../guest/packages/missing-packages.ts';

/** Packages of one language that the folder names and nobody has installed. */
export interface AgentPackages {
  /** One sentence: what is there, and what is not. */
  because: string;
  /** What `install` runs, as a person would type it; or, without it, why nothing can. */
  command?: string;
  needs?: string;
  /** Rejects with `guest_unavailable` and the last words of the package manager. */
  install(onProgress: (line: string) => void): Promise<void>;
}

/**
 * What is missing for the agents of this folder. Nothing where its manifest is wrong, which the start says, and in a
 * sandbox, which installs packages itself. Nothing is changed.
 */
export async function missingAgentPackages(
  config: ServiceConfig,
  signal: AbortSignal,
): Promise<AgentPackages[]> {
  const { sourceDir, guest } = config;
  if (guest.sandbox !== 'none') return [];
  const manifest = await readManifest(sourceDir).catch((error: unknown) => {
    if (isServiceError(error) && error.code === 'manifest_invalid') return undefined;
    throw error;
  });
  if (!manifest) return [];
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
