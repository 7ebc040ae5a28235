import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { ServiceError } from '../../errors/service-error.ts';
import { executableName } from './engine-binary.ts';
import type { Platform } from './engine-package.ts';
import { runCommand } from './run-command.ts';
import { engineSources, hashEngineSources } from './source-hash.ts';

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

const buildLimit = 30 * 60_000;
const progressPause = 15_000;
const engineFile = executableName('engine');

/** Builds for other platforms lie apart: nobody must find one of them for this machine. */
function buildsFolder(checkout: string, platform?: Platform): string {
  const isOwn = platform === undefined || isOwnPlatform(platform);
  const other = isOwn ? '' : `-${platform.os}-${platform.cpu}`;
  return path.join(checkout, `.cache/native${other}`);
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
  const folder = buildsFolder(checkout);
  if (!existsSync(folder) || !existsSync(engineSources(checkout))) return undefined;
  const hash = hashEngineSources(checkout);
  return readdirSync(folder)
    .filter((name) => name.startsWith(`${hash}-`))
    .map((name) => path.join(folder, name, engineFile))
    .find((file) => existsSync(file));
}

/** Builds the embedded engine, or finds the same build in the cache; answers the binary's path. */
export async function buildEngine(options: BuildOptions): Promise<string> {
  const { checkout, go = 'go', platform, signal, onProgress } = options;
  const version = await goVersion(go, signal);
  const builds = buildsFolder(checkout, platform);
  const folder = path.join(builds, `${hashEngineSources(checkout)}-${version}`);
  const target = path.join(folder, engineFile);
  if (existsSync(target)) return target;

  onProgress('building the embedded engine with Go, which takes minutes the first time');
  mkdirSync(folder, { recursive: true });
  const half = path.join(folder, `${engineFile}.${process.pid}.part`);
  const started = performance.now();
  const seconds = (): number => Math.round((performance.now() - started) / 1000);
  const beat = setInterval(
    () => onProgress(`still building, ${seconds()} s so far`),
    progressPause,
  );
  try {
    const args = ['build', '-trimpath', '-ldflags', '-s -w', '-o', half, '.'];
    const { code, stderr } = await runCommand(go, args, {
      cwd: engineSources(checkout),
      // oxlint-disable-next-line node/no-process-env -- Go gets the user's environment and one variable more
      env: { ...process.env, CGO_ENABLED: '0', ...(platform && goPlatform(platform)) },
      signal,
      limit: buildLimit,
      onLine: onProgress,
    });
    signal.throwIfAborted();
    if (code !== 0) throw failedBuild(stderr);
    // Whole or not at all: another process may be looking for it.
    renameSync(half, target);
  } finally {
    clearInterval(beat);
    rmSync(half, { force: true });
  }
  onProgress(`built the embedded engine in ${seconds()} s`);
  return target;
}

async function goVersion(go: string, signal: AbortSignal): Promise<string> {
  const { code, stdout } = await runCommand(go, ['env', 'GOVERSION'], { signal, limit: 20_000 });
  signal.throwIfAborted();
  if (code === 0 && stdout.trim() !== '') return stdout.trim();
  throw new ServiceError(
    'engine_unavailable',
    'Go is not installed; it is needed to build the engine (https://go.dev/doc/install).',
  );
}

function failedBuild(stderr: string): ServiceError {
  const last = stderr.trim().split('\n').at(-1) ?? '';
  const isOffline = /dial tcp|no such host|connection refused|i\/o timeout|Forbidden/.test(stderr);
  const sentence = isOffline
    ? "The engine could not be built because Go's module proxy cannot be reached"
    : 'The engine could not be built';
  return new ServiceError('engine_unavailable', `${sentence}: ${last}`, {
    details: { output: stderr },
  });
}
