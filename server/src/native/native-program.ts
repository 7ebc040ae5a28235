/*
 * Our Go programs: found in the package of this platform, or built once from the sources in a checkout.
 */
import path from 'node:path';
import type { GoProgram } from './build-go.ts';
import { executableName, type Platform, thisPlatform } from './platform-package.ts';

/** The programs that are built for each platform, named by the folder of their sources. */
export type ProgramName = 'engine' | 'images';

/** Options for building a program. */
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

/** The Go sources of a program in a checkout. */
export function programSources(checkout: string, name: ProgramName): string {
  return path.join(checkout, 'server/native', name);
}

/**
 * Describes one of the programs. Builds for other platforms have a separate folder, so that they are never used on this
 * machine.
 */
export function nativeProgram(
  name: ProgramName,
  title: string,
  { checkout, platform = thisPlatform() }: Pick<BuildOptions, 'checkout' | 'platform'>,
): GoProgram {
  const own = thisPlatform();
  const isOwn = platform.os === own.os && platform.cpu === own.cpu;
  const other = isOwn ? '' : `-${platform.os}-${platform.cpu}`;
  return {
    name: title,
    sources: programSources(checkout, name),
    builds: path.join(checkout, `.cache/native${other}`),
    file: executableName(name),
  };
}

/** Go's environment variables for another platform. */
export function goPlatform({ os, cpu }: Platform): Record<string, string> {
  return {
    GOOS: os === 'win32' ? 'windows' : os,
    GOARCH: cpu === 'x64' ? 'amd64' : cpu,
  };
}
