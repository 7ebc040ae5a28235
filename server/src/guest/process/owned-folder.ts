import { lstat, mkdtemp, open, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { constants } from 'node:fs';
import { isOfLostHost, makeMark } from './guest-mark.ts';

/** More than the size of any file that a service leaves for the next one. */
const MOST_BYTES = 4_096;

/**
 * The text of a small file in a folder where other users may have created entries: a link is not followed, a pipe not
 * waited for, a device not read. Rejects when there is no such file, or a larger one.
 */
export async function readSmallFile(file: string): Promise<string> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const handle = await open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    if (!(await handle.stat()).isFile()) throw new Error('It is not a regular file.');
    // Its contents may exceed its reported size.
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(MOST_BYTES + 1));
    if (bytesRead > MOST_BYTES) throw new Error('It is too large.');
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** The file that names the owner of a folder. */
const OWNER = 'owner';

/** A service that is just creating its folder has not written the owner file yet. */
const YOUNG_MS = 60_000;

/** Makes a folder in the temporary one, which only this user can enter and which names this process as its owner. */
export async function makeOwnedFolder(prefix: string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), prefix));
  await writeFile(path.join(folder, OWNER), makeMark());
  return folder;
}

/** Calls `remove` for each folder of this user with the prefix whose process has exited. Never rejects. */
export async function forAbandonedFolders(
  prefix: string,
  remove: (folder: string) => Promise<void>,
): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => []);
  for (const name of names) {
    if (!name.startsWith(prefix)) continue;
    const folder = path.join(tmpdir(), name);
    try {
      if (await isAbandoned(folder)) await remove(folder);
    } catch {
      // Another service removes it at the same time.
    }
  }
}

async function isAbandoned(folder: string): Promise<boolean> {
  const { uid, mtimeMs } = await lstat(folder);
  if (uid !== process.getuid?.()) return false;
  const owner = await readSmallFile(path.join(folder, OWNER)).catch(() => '');
  return owner === '' ? Date.now() - mtimeMs > YOUNG_MS : isOfLostHost(owner);
}

/** The user and group that a guest runs as, by this machine's ids. */
export interface SandboxUser {
  readonly uid: number;
  readonly gid: number;
}

/** The non-root user of distroless images; usual machines have no user with this id. */
export const SANDBOX_UID = 65_532;

/** The service's own user; if the service runs as root, a user who owns nothing. */
export function sandboxUser(): SandboxUser {
  const uid = process.getuid?.() ?? SANDBOX_UID;
  if (uid === 0) return { uid: SANDBOX_UID, gid: SANDBOX_UID };
  return { uid, gid: process.getgid?.() ?? SANDBOX_UID };
}
