import { existsSync } from 'node:fs';
import path from 'node:path';
import { ServiceError } from '../../errors/service-error.ts';
import { executableName, installedProgram } from '../../native/platform-package.ts';
import { buildEngine, engineSources, findBuiltEngine } from './build-engine.ts';
import type { EngineBinary, EngineSource } from './engine-command.ts';
import { downloadCli, findCliOnPath, type Missing } from './temporal-cli.ts';

/** The possible origins of an engine on this machine. */
export interface ProvisionOptions {
  /** The binary of the configuration; when given, no other origin is tried. */
  configured?: string;
  /** The folder with `engine/<platform>-<arch>/`, which the desktop ships. */
  resources?: string;
  /** A file of the server package, from which the engine's package is resolved. */
  requiredFrom?: string;
  /** The source checkout, when this is one. */
  checkout?: string;
  /** The folder of a downloaded CLI. */
  cacheFolder: string;
  /** Refuse an engine that serves every user of this machine. */
  isGuarded?: boolean;
  signal: AbortSignal;
  onProgress: (message: string) => void;
}

/** A binary and its origin. */
export interface ProvisionedEngine extends EngineBinary {
  readonly source: EngineSource;
}

const openPortWarning =
  "this engine asks for no credentials: every user of this machine can reach its port and run code as this service's user; the embedded engine serves this service alone.";
const bypassable =
  'neither the temporal command nor the Temporal CLI is taken while the API asks for credentials, because any user of this machine could pass by them at its port';

type Attempt = () => Promise<string | Missing> | string | Missing;
type Step = readonly [source: EngineSource, kind: EngineBinary['kind'], attempt: Attempt];

/** Returns the first engine that exists (supervise.ts has the order) and reports which one through `onProgress`. */
export async function provisionEngine(options: ProvisionOptions): Promise<ProvisionedEngine> {
  const reasons: string[] = [];
  for (const [source, kind, attempt] of steps(options)) {
    options.signal.throwIfAborted();
    const result = await attempt();
    if (typeof result === 'string') {
      options.onProgress(`engine: ${described[source]} (${result})`);
      if (kind === 'cli') options.onProgress(`Warning: ${openPortWarning}`);
      return { kind, path: result, source };
    }
    reasons.push(result.reason);
  }
  throw new ServiceError(
    'engine_unavailable',
    `No engine was found and none could be made: ${reasons.join('; ')}.`,
    { details: { tried: reasons } },
  );
}

const described: Readonly<Record<EngineSource, string>> = {
  configured: 'the embedded engine named in the configuration',
  packaged: 'the embedded engine of this package',
  built: 'the embedded engine built before',
  path: 'the temporal command on PATH',
  download: 'the downloaded Temporal CLI',
  build: 'the embedded engine, built now',
};

function steps(options: ProvisionOptions): Step[] {
  const { configured, cacheFolder, isGuarded } = options;
  if (configured !== undefined) {
    return [['configured', 'embedded', () => configuredEngine(configured)]];
  }
  const unguarded: Step[] = [['path', 'cli', () => ({ reason: bypassable })]];
  const others: Step[] = [
    ['path', 'cli', () => findCliOnPath(options.signal)],
    ['download', 'cli', () => downloadCli(cacheFolder, options)],
  ];
  return [
    ['packaged', 'embedded', () => packagedEngine(options)],
    ['built', 'embedded', () => builtEngine(options.checkout)],
    ...(isGuarded === true ? unguarded : others),
    ['build', 'embedded', () => newlyBuiltEngine(options)],
  ];
}

function configuredEngine(file: string): string | Missing {
  return existsSync(file) ? file : { reason: `the configured engine ${file} does not exist` };
}

function packagedEngine({ resources, requiredFrom }: ProvisionOptions): string | Missing {
  const platform = `${process.platform}-${process.arch}`;
  if (resources !== undefined) {
    const file = path.join(resources, 'engine', platform, executableName('engine'));
    if (existsSync(file)) return file;
  }
  const installed =
    requiredFrom === undefined ? undefined : installedProgram('engine', requiredFrom);
  return installed ?? { reason: `no engine for ${platform} in this package` };
}

function builtEngine(checkout: string | undefined): string | Missing {
  const file = checkout === undefined ? undefined : findBuiltEngine(checkout);
  return file ?? { reason: 'no engine was built before' };
}

async function newlyBuiltEngine(options: ProvisionOptions): Promise<string | Missing> {
  const { checkout, signal, onProgress } = options;
  if (checkout === undefined || !existsSync(engineSources(checkout))) {
    return { reason: 'there are no sources to build it from' };
  }
  try {
    return await buildEngine({ checkout, signal, onProgress });
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { reason: error.message.replace(/\.$/, '') };
  }
}
