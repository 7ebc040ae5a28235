import { createHash, type Hash } from 'node:crypto';
import { chmod, lstat, opendir, readdir, readlink, rm } from 'node:fs/promises';
import path from 'node:path';
import { textOfFile } from '../../files/regular-file.ts';
import { OWNED_FILES } from '../../model/limits/intake-limits.ts';
import { NAMED_FILE_BYTES } from '../../model/limits/sandbox-limits.ts';
import type { SourcePaths } from './source-paths.ts';

/** Folders that no build reads, or that a build creates. Names with a leading dot are ignored too. */
const ignored = new Set(['node_modules', 'venv', '__pycache__', 'build', 'dist']);

/** Code changes often and is imported in place; a build reads its dependencies from other files. */
const code = /\.(pyi?|ipynb|[cm]?[jt]sx?)$/;

interface Seen {
  files: number;
  isCodeInstalled: boolean;
}

/**
 * The inputs that tie packages to one agent folder: its path, and the content of all folders that its installation
 * sees, since a build may read any file in them. Code counts only if it is installed itself (`./lib`).
 */
export async function ownedBy(
  sourceDir: string,
  sourcePaths: SourcePaths,
  { isCodeInstalled }: { isCodeInstalled: boolean },
): Promise<string[]> {
  const hash = createHash('sha256');
  const seen = { files: 0, isCodeInstalled };
  for (const { from } of sourcePaths.mounts) await addFolder(hash, from, seen);
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
      // Files that are too large or too many to read count by their size and modification time.
      const isRead = found.size <= NAMED_FILE_BYTES && seen.files <= OWNED_FILES;
      const content = isRead ? (textOfFile(file) ?? '') : '';
      hash.update(`${file}\0${found.size}\0${isRead ? content : found.mtimeMs}\0`);
    }
  }
}

/**
 * Removes files that untrusted code has made and no longer changes, including folders that their owner cannot read.
 * Best effort: leftovers only use disk space.
 */
export async function removeMade(folder: string): Promise<void> {
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  await remove().catch(async () => {
    await openFolder(folder);
    await remove().catch(() => undefined);
  });
}

/** Makes folders accessible. Follows no link: its target must not be changed. */
async function openFolder(folder: string): Promise<void> {
  const found = await lstat(folder).catch(() => undefined);
  if (found?.isDirectory() !== true) return;
  await chmod(folder, 0o700).catch(() => undefined);
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    if (entry.isDirectory()) await openFolder(path.join(folder, entry.name));
  }
}
