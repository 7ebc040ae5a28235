import { chmod, lstat, readdir, rm } from 'node:fs/promises';
import path from 'node:path';

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
