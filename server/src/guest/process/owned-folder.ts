import { lstat, mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { isOfLostHost, makeMark } from './guest-mark.ts';
import { readSmallFile } from './small-file.ts';

/** Whose folder it is. */
const OWNER = 'owner';

/** A service that is just making its folder has not written its name yet. */
const YOUNG_MS = 60_000;

/** Makes a folder in the temporary one, which only this user can enter and which says that it is this process's. */
export async function makeOwnedFolder(prefix: string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), prefix));
  await writeFile(path.join(folder, OWNER), makeMark());
  return folder;
}

/** Calls `remove` for each folder of this user with the prefix whose process is gone. Never rejects. */
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
