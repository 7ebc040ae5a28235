import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { createHash } from 'node:crypto';
import { runCommand } from './run-command.ts';

/** A Go program with the folders of its sources and its builds. */
export interface GoProgram {
  /** Its name in messages: `engine`. */
  name: string;
  /** The folder of its go.mod. */
  sources: string;
  /** The folder of all builds; each has a subfolder named by the hash of the sources. */
  builds: string;
  /** The file of a build; it exists only when the build is complete. */
  file: string;
}

export interface GoBuildOptions {
  /** The command of the Go toolchain, normally from PATH. */
  go?: string;
  /** Additional variables besides the user's environment, such as GOOS. */
  environment: Readonly<Record<string, string>>;
  /** Creates the file of the build from Go's output `linked`, at the path `half`, and any files next to it. */
  finish?: (build: { linked: string; half: string; folder: string }) => Promise<void>;
  signal: AbortSignal;
  onProgress: (message: string) => void;
}

/** Why the build failed, in one sentence. */
export class GoBuildError extends Error {
  override readonly name = 'GoBuildError';
  /** The output of Go. */
  readonly output: string;

  constructor(message: string, output = '') {
    super(message);
    this.output = output;
  }
}

const buildLimit = 30 * 60_000;
const progressPause = 15_000;

/** Finds a build of exactly these sources, made by any version of Go. */
export function findGoBuild({ sources, builds, file }: GoProgram): string | undefined {
  if (!existsSync(builds) || !existsSync(sources)) return undefined;
  const hash = hashGoSources(sources);
  return readdirSync(builds)
    .filter((name) => name.startsWith(`${hash}-`))
    .map((name) => path.join(builds, name, file))
    .find((found) => existsSync(found));
}

/** Builds a program, or finds the same build in the cache; returns its file. Throws GoBuildError. */
export async function buildGo(program: GoProgram, options: GoBuildOptions): Promise<string> {
  const { name, sources, builds, file } = program;
  const { go = 'go', signal, onProgress } = options;
  const version = await goVersion(name, go, signal);
  const folder = path.join(builds, `${hashGoSources(sources)}-${version}`);
  const target = path.join(folder, file);
  if (existsSync(target)) return target;

  onProgress(`building the ${name} with Go, which takes minutes the first time`);
  mkdirSync(folder, { recursive: true });
  const half = path.join(folder, `${file}.${process.pid}.part`);
  const started = performance.now();
  const seconds = (): number => Math.round((performance.now() - started) / 1000);
  const beat = setInterval(
    () => onProgress(`still building, ${seconds()} s so far`),
    progressPause,
  );
  try {
    await link(program, { ...options, go }, half);
    // An atomic rename: another process may be looking for the file.
    renameSync(half, target);
  } finally {
    clearInterval(beat);
    rmSync(half, { force: true });
    rmSync(`${half}.linked`, { force: true });
  }
  onProgress(`built the ${name} in ${seconds()} s`);
  return target;
}

async function link(
  { name, sources }: GoProgram,
  { go, environment, finish, signal, onProgress }: GoBuildOptions & { go: string },
  half: string,
): Promise<void> {
  const linked = finish ? `${half}.linked` : half;
  const args = ['build', '-trimpath', '-ldflags', '-s -w', '-o', linked, '.'];
  const { code, stderr } = await runCommand(go, args, {
    cwd: sources,
    // oxlint-disable-next-line node/no-process-env -- Go gets the user's environment and a few variables more
    env: { ...process.env, CGO_ENABLED: '0', ...environment },
    signal,
    limit: buildLimit,
    onLine: onProgress,
  });
  signal.throwIfAborted();
  if (code !== 0) throw failedBuild(name, stderr);
  await finish?.({ linked, half, folder: path.dirname(half) });
}

async function goVersion(name: string, go: string, signal: AbortSignal): Promise<string> {
  const { code, stdout } = await runCommand(go, ['env', 'GOVERSION'], { signal, limit: 20_000 });
  signal.throwIfAborted();
  if (code === 0 && stdout.trim() !== '') return stdout.trim();
  throw new GoBuildError(
    `Go is not installed; it is needed to build the ${name} (https://go.dev/doc/install).`,
  );
}

function failedBuild(name: string, stderr: string): GoBuildError {
  const last = stderr.trim().split('\n').at(-1) ?? '';
  const isOffline = /dial tcp|no such host|connection refused|i\/o timeout|Forbidden/.test(stderr);
  const sentence = isOffline
    ? `The ${name} could not be built because Go's module proxy cannot be reached`
    : `The ${name} could not be built`;
  return new GoBuildError(`${sentence}: ${last}`, stderr);
}

/** A hash over all sources of a Go program, without tests, test data and pages. */
export function hashGoSources(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .map((file) => file.split(path.sep).join('/'))
    .filter((file) => /\.go$|^go\.(mod|sum)$/.test(file))
    .filter((file) => !file.startsWith('testdata/') && !file.endsWith('_test.go'))
    .toSorted();
  const hash = createHash('sha256');
  for (const file of files) {
    const content = readFileSync(path.join(folder, file));
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex').slice(0, 16);
}
