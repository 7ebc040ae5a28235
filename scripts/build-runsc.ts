import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { GoBuildError } from '../server/src/native/build-go.ts';
import { runCommand } from '../server/src/native/run-command.ts';

/** gVisor's runsc for the tests, with the checksum that Go's module proxy has for its sources. */
const VERSION = 'v0.0.0-20260905035102-160fafc42237';
const CHECKSUM = 'h1:AU5+CtCvnBnxdZRNcZt1NfSLqgkXZVT3N/u6u1aXg44=';
/** Its build takes two minutes with empty caches. */
const LIMIT_MS = 30 * 60_000;

interface BuildRunscOptions {
  checkout: string;
  signal: AbortSignal;
  onProgress: (message: string) => void;
}

/** Builds it into .cache/native/runsc, unless it exists; resolves with its file. Throws GoBuildError. */
export async function buildRunsc({ checkout, ...options }: BuildRunscOptions): Promise<string> {
  const folder = path.join(checkout, '.cache/native/runsc');
  const file = path.join(folder, 'runsc');
  if (existsSync(file) && (await isPinned(file, options.signal))) return file;
  const unfinished = path.join(folder, `${process.pid}.part`);
  mkdirSync(unfinished, { recursive: true });
  try {
    options.onProgress('building runsc with Go, which takes minutes the first time');
    const { code, stderr } = await runCommand(
      'go',
      ['install', `gvisor.dev/gvisor/runsc@${VERSION}`],
      {
        env: { ...process.env, CGO_ENABLED: '0', GOBIN: unfinished },
        signal: options.signal,
        limit: LIMIT_MS,
        onLine: options.onProgress,
      },
    );
    options.signal.throwIfAborted();
    if (code !== 0) throw new GoBuildError(`runsc could not be built: ${stderr.trim()}`, stderr);
    const built = path.join(unfinished, 'runsc');
    if (!(await isPinned(built, options.signal))) {
      throw new GoBuildError(`The sources of runsc ${VERSION} are not those that were pinned.`);
    }
    renameSync(built, file);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return file;
}

/** Go writes into a program what it was made of. */
async function isPinned(file: string, signal: AbortSignal): Promise<boolean> {
  const { stdout } = await runCommand('go', ['version', '-m', file], { signal, limit: LIMIT_MS });
  return stdout.includes(`\tgvisor.dev/gvisor\t${VERSION}\t${CHECKSUM}`);
}
