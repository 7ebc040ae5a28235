import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

import { PRIVATE_FOLDER_BYTES } from '../model/sandbox-limits.ts';

/** Its sockets, its config file, and a few more. */
const MOST_FILES = 32;

const run = promisify(execFile);

/**
 * Puts a small file system in memory over a folder: who may write there cannot fill the disk, whether or not a service
 * looks on. Only root may, and not in every container: false where it could not be had.
 */
export async function boundFolder(folder: string): Promise<boolean> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  const options = `size=${PRIVATE_FOLDER_BYTES},nr_inodes=${MOST_FILES},mode=0700,nosuid,nodev`;
  return await run('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder]).then(
    () => true,
    () => false,
  );
}

/** Takes it away again, also when a service that was killed has left it. Without one it does nothing. */
export async function unboundFolder(folder: string): Promise<void> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return;
  if (!(await isBounded(folder))) return;
  // Lazily: where a guest has it, it goes with the guest.
  await run('umount', ['-l', folder]);
}

/** True when just this folder is one: `umount` would follow a link. */
export async function isBounded(folder: string): Promise<boolean> {
  const mounts = await readFile('/proc/self/mounts', 'utf8');
  return mounts.split('\n').some((line) => {
    const [, place, type] = line.split(' ');
    return place === folder && type === 'tmpfs';
  });
}
