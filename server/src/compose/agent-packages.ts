/** Composition of `--install`: finds the agents' missing packages and installs them before a start. */
import { readManifest } from '../agents/manifest.ts';
import type { ServiceConfig } from '../config/service-config.ts';
import { isServiceError } from '../errors/service-error.ts';
import { findMissingPackages, installPackages } from '../guest/packages/install-packages.ts';
import { shownCommands } from '../guest/packages/missing-packages.ts';

/** Packages of one language that the folder requires and that are not installed. */
export interface AgentPackages {
  language: 'python' | 'javascript';
  /** Where the command is typed, absolute. */
  directory: string;
  /** One sentence: what exists and what is missing. */
  because: string;
  /** The command of `install` as a user would type it; without it, `needs` explains why nothing can be installed. */
  command?: string;
  needs?: string;
  /** Rejects with `guest_unavailable` and the last output of the package manager. */
  install(onProgress: (line: string) => void): Promise<void>;
}

/**
 * The missing packages of the folder's agents. Empty for an invalid manifest, which the start reports, and in a
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
  // Without the variables of the manifest and the env files: package managers run untrusted code.
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
    language: packages.language,
    directory: packages.directory,
    because: packages.because,
    ...(packages.needs === undefined
      ? { command: shownCommands(packages) }
      : { needs: packages.needs }),
    install: (onProgress) => installPackages(packages, { environment, signal, onProgress }),
  }));
}
