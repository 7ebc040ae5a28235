import { createHash, type Hash } from 'node:crypto';
import { chmod, lstat, opendir, readdir, readlink, rm } from 'node:fs/promises';
import path from 'node:path';
import { textOfFile } from '../../files/regular-file.ts';
import { OWNED_FILES } from '../../model/limits/intake-limits.ts';
import { NAMED_FILE_BYTES } from '../../model/limits/sandbox-limits.ts';
import type { SourcePlaces } from './source-places.ts';

/** What no build is made of, or what it leaves. Names with a leading dot are left out too. */
const ignored = new Set(['node_modules', 'venv', '__pycache__', 'build', 'dist']);

/** Changed all the time, and imported from where it is: a build reads its dependencies elsewhere. */
const code = /\.(pyi?|ipynb|[cm]?[jt]sx?)$/;

interface Seen {
  files: number;
  isCodeInstalled: boolean;
}

/**
 * What makes packages those of one agent folder: which one it is, and the content of all folders that its installation
 * sees, for any file of them may have a part in a build. Code counts where it is installed itself (`./lib`).
 */
export async function ownedBy(
  sourceDir: string,
  places: SourcePlaces,
  { isCodeInstalled }: { isCodeInstalled: boolean },
): Promise<string[]> {
  const hash = createHash('sha256');
  const seen = { files: 0, isCodeInstalled };
  for (const { from } of places.mounts) await addFolder(hash, from, seen);
  return ['of this folder', sourceDir, hash.digest('hex')];
}

async function addFolder(hash: Hash, folder: string, seen: Seen): Promise<void> {
  const names: string[] = [];
  for await (const { name } of await opendir(folder)) {
    if (!name.startsWith('.') && !ignored.has(name)) names.push(name);
  }
  for (const name of names.toSorted((a, b) => (a < b ? -1 : 1))) {
    const file = path.join(folder, name);
    const found = await lstat(file);
    if (found.isDirectory()) await addFolder(hash, file, seen);
    else if (found.isSymbolicLink()) hash.update(`${file}\0${await readlink(file)}\0`);
    else if (found.isFile() && (seen.isCodeInstalled || !code.test(name))) {
      seen.files += 1;
      // What is too large or too much to be read counts by its size and time.
      const isRead = found.size <= NAMED_FILE_BYTES && seen.files <= OWNED_FILES;
      const content = isRead ? (textOfFile(file) ?? '') : '';
      hash.update(`${file}\0${found.size}\0${isRead ? content : found.mtimeMs}\0`);
    }
  }
}

/**
 * Removes what code of strangers has made and no longer changes, also folders that it closed to their owner. Best
 * effort: what stays is room on the disk, and nothing that others wait for.
 */
export async function removeMade(folder: string): Promise<void> {
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  await remove().catch(async () => {
    await openFolder(folder);
    await remove().catch(() => undefined);
  });
}

/** Never by a link: what that leads to is not ours to change. */
async function openFolder(folder: string): Promise<void> {
  const found = await lstat(folder).catch(() => undefined);
  if (found?.isDirectory() !== true) return;
  await chmod(folder, 0o700).catch(() => undefined);
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    if (entry.isDirectory()) await openFolder(path.join(folder, entry.name));
  }
}
