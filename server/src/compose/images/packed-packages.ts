/** Installs the agents' packages in a sandbox as `serve` does, for an image that contains them. */
import type { Manifest } from '../../agents/manifest.ts';
import type { ServiceConfig } from '../../config/service-config.ts';
import type { GuestLanguage } from '../../guest/pool/guest-program.ts';
import { inside } from '../../guest/sandbox/inside.ts';
import { javascriptPackages } from '../../guest/sandbox/sandboxed-javascript.ts';
import { pythonPackages } from '../../guest/sandbox/sandboxed-program.ts';
import { sourcePathsOf } from '../../guest/sandbox/source-paths.ts';
import { openSandbox, type SandboxDeps } from '../open-sandbox.ts';

export type PackagesDeps = Pick<SandboxDeps, 'logger' | 'metrics' | 'onProgress'> & {
  signal: AbortSignal;
};

export interface PackedPackages {
  layers: { folder: string; target: string }[];
  /** Variables of the image with which the packages are found. */
  environment: Record<string, string>;
}

/**
 * Rejects with `guest_unavailable` or `config_invalid`. `image` provides the image for which the packages are
 * installed.
 */
export async function packagesOfAgents(
  config: ServiceConfig,
  { agents, dependencies, sourceFolders }: Manifest,
  { image, ...deps }: PackagesDeps & { image(): Promise<string> },
): Promise<PackedPackages> {
  const { sourceDir, cacheDir, guest } = config;
  const languages = new Set<GuestLanguage>(agents.map(({ language }) => language));
  const sourcePaths = sourcePathsOf(sourceFolders);
  const { userEnvironment } = guest;
  const options = { sourceDir, cacheDir, dependencies, userEnvironment };
  const reference = await image();
  const opened = await openSandbox(withBase(config, reference), {
    ...deps,
    ...{ sourceFolders, languages, instanceId: 'packing' },
  });
  if (!opened) throw new Error('The settings name no sandbox.');
  const { sandbox, installerEgress: egress } = opened;
  try {
    const found = await sandbox.image(reference, deps);
    const installer = { ...deps, sandbox, image: found, cacheDir, ...(egress && { egress }) };
    const packed: PackedPackages = { layers: [], environment: {} };
    if (languages.has('python')) {
      const folder = await pythonPackages({ options, installer, sourcePaths });
      if (folder !== undefined) {
        packed.layers.push({ folder, target: inside.packages });
        packed.environment['PYTHONPATH'] = inside.packages;
        packed.environment['PATH'] = `${inside.packages}/bin:${found.environment['PATH'] ?? ''}`;
      }
    }
    if (languages.has('javascript')) {
      const ofJavascript = agents.filter(({ language }) => language === 'javascript');
      const wanted = { agents: ofJavascript, options, installer, sourcePaths, isFresh: true };
      const folder = await javascriptPackages(wanted);
      if (folder !== undefined) packed.layers.push({ folder, target: inside.nodeModules });
    }
    return packed;
  } finally {
    await sandbox.close();
  }
}

function withBase(config: ServiceConfig, reference: string): ServiceConfig {
  const { container } = config.guest;
  if (container === undefined) return config;
  const images = { python: reference, javascript: reference };
  return { ...config, guest: { ...config.guest, container: { ...container, images } } };
}
