import path from 'node:path';
import { ServiceError } from '../../errors/service-error.ts';
import { buildGo, findGoBuild, GoBuildError, type GoProgram } from '../../native/build-go.ts';
import { executableName } from './engine-binary.ts';
import type { Platform } from './engine-package.ts';

/** What building needs to know. */
export interface BuildOptions {
  /** The folder of the source checkout. */
  checkout: string;
  /** The command of the Go toolchain, normally from PATH. */
  go?: string;
  /** Default: this machine's. */
  platform?: Platform;
  signal: AbortSignal;
  onProgress: (message: string) => void;
}

/** The Go sources of the engine in a checkout. */
export function engineSources(checkout: string): string {
  return path.join(checkout, 'server/native/engine');
}

/** Builds for other platforms lie apart: nobody must find one of them for this machine. */
function engineProgram(checkout: string, platform?: Platform): GoProgram {
  const isOwn = platform === undefined || isOwnPlatform(platform);
  const other = isOwn ? '' : `-${platform.os}-${platform.cpu}`;
  return {
    name: 'engine',
    sources: engineSources(checkout),
    builds: path.join(checkout, `.cache/native${other}`),
    file: executableName('engine'),
  };
}

function isOwnPlatform({ os, cpu }: Platform): boolean {
  return os === process.platform && cpu === process.arch;
}

/** What tells Go to build for another platform, in its names. */
function goPlatform({ os, cpu }: Platform): Record<string, string> {
  return {
    GOOS: os === 'win32' ? 'windows' : os,
    GOARCH: cpu === 'x64' ? 'amd64' : cpu,
  };
}

/** Finds an engine that was built from exactly these sources, whichever Go built it. */
export function findBuiltEngine(checkout: string): string | undefined {
  return findGoBuild(engineProgram(checkout));
}

/** Builds the embedded engine, or finds the same build in the cache; answers the binary's path. */
export async function buildEngine(options: BuildOptions): Promise<string> {
  const { checkout, go, platform, signal, onProgress } = options;
  try {
    return await buildGo(engineProgram(checkout, platform), {
      ...(go !== undefined && { go }),
      environment: platform ? goPlatform(platform) : {},
      signal,
      onProgress,
    });
  } catch (error) {
    if (!(error instanceof GoBuildError)) throw error;
    throw new ServiceError('engine_unavailable', error.message, {
      details: { output: error.output },
    });
  }
}
