import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { serverVersion } from './engine-command.ts';
import { runCommand } from '../../native/run-command.ts';

/** The release of Temporal's CLI with our server version, and so with our database schema. */
export const cliVersion = '1.9.1';

const downloadSite = 'https://temporal.download/';
const reachLimit = 5_000;
const downloadLimit = 180_000;

/** Why an attempt yielded no engine. */
export interface Missing {
  reason: string;
}

/** Finds the `temporal` command, if its server is of our version. */
export async function findCliOnPath(
  signal: AbortSignal,
  command = 'temporal',
): Promise<string | Missing> {
  const { code, stdout } = await runCommand(command, ['--version'], { signal, limit: 10_000 });
  if (code !== 0) return { reason: 'no temporal command on PATH' };
  const found = /Server v?(\d+\.\d+)\.\d+/i.exec(stdout)?.[1];
  // Another server version would leave a database that the others cannot read.
  if (found === undefined || !serverVersion.startsWith(`${found}.`)) {
    return {
      reason: `the temporal command on PATH has server ${found ?? 'of unknown version'}, not ${serverVersion}`,
    };
  }
  return command;
}

/** Downloads the official CLI through the SDK, once; fails within seconds when the site cannot be reached. */
export async function downloadCli(
  cacheFolder: string,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (message: string) => void },
): Promise<string | Missing> {
  const folder = path.join(cacheFolder, `temporal-cli-${cliVersion}`);
  const before = downloadedFile(folder);
  if (before !== undefined) return before;
  if (process.versions['electron'] !== undefined) {
    return { reason: 'the desktop app downloads no engine' };
  }
  if (!(await isReachable(signal))) return { reason: `${downloadSite} cannot be reached` };

  onProgress(`downloading the Temporal CLI ${cliVersion}`);
  mkdirSync(folder, { recursive: true });
  // In its own process: the SDK's native runtime is configured once per process, and a download can then be aborted.
  const script = fileURLToPath(
    new URL(`./fetch-cli${path.extname(import.meta.url)}`, import.meta.url),
  );
  const { code, stderr } = await runCommand(process.execPath, [script, folder, `v${cliVersion}`], {
    signal,
    limit: downloadLimit,
  });
  signal.throwIfAborted();
  const file = downloadedFile(folder);
  if (code === 0 && file !== undefined) return file;
  rmSync(folder, { recursive: true, force: true });
  return { reason: `the Temporal CLI was not downloaded: ${stderr.trim().split('\n').at(-1)}` };
}

// The SDK chooses the file's name; in its own folder it is the only one.
function downloadedFile(folder: string): string | undefined {
  if (!existsSync(folder)) return undefined;
  const name = readdirSync(folder).find((file) => /^temporal-[^/]*\d(\.exe)?$/.test(file));
  return name === undefined ? undefined : path.join(folder, name);
}

async function isReachable(signal: AbortSignal): Promise<boolean> {
  try {
    await fetch(downloadSite, {
      method: 'HEAD',
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(reachLimit)]),
    });
    return true;
  } catch {
    signal.throwIfAborted();
    return false;
  }
}
