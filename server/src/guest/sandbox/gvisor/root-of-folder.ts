import { lstat, opendir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { ServiceError } from '../../../errors/service-error.ts';
import { isThere } from '../../process/executable.ts';
import type { ImageEntry } from '../image-folder.ts';

/** An image in the form that gVisor needs. */
export interface ImageRoot {
  /** The folder with its unpacked files. It must be ours: runsc creates missing mount points in it. */
  readonly root: string;
  /** The image's variables, as `PATH=/usr/bin`. Without a PATH it gets the default one. */
  readonly env: readonly string[];
  /** Identifies the content. */
  readonly id: string;
}

/** An absolute path of a folder with a Linux file system is an image too. Rejects others with `guest_unavailable`. */
export async function rootOfFolder(reference: string): Promise<ImageRoot> {
  if (!path.isAbsolute(reference) || !(await isThere(path.join(reference, 'usr')))) {
    const sentence = `There is no image ${reference}: it is no folder with the files of a Linux.`;
    throw new ServiceError('guest_unavailable', sentence);
  }
  const root = path.resolve(reference);
  // Not the time of the folder itself, which mounts change.
  const { mtimeMs } = await stat(path.join(root, 'usr'));
  return { root, env: [], id: `${root}@${mtimeMs}` };
}

/** The entries of a folder of our own unchanging root tree; none if it does not exist. Follows no link. */
export async function* rootEntries(root: string, folder: string): AsyncGenerator<ImageEntry> {
  let top = root;
  for (const part of folder.split('/').filter((name) => name !== '')) {
    top = path.join(top, part);
    const found = await lstat(top).catch(() => undefined);
    if (found?.isDirectory() !== true) return;
  }
  yield* entriesBelow(top, '');
}

async function* entriesBelow(top: string, below: string): AsyncGenerator<ImageEntry> {
  for await (const entry of await opendir(path.join(top, below))) {
    const relative = path.posix.join(below, entry.name);
    const file = path.join(top, relative);
    const { size } = await lstat(file);
    const kind = entry.isDirectory() ? 'folder' : entry.isFile() ? 'file' : 'other';
    yield { path: relative, kind, size, content: () => readFile(file) };
    if (kind === 'folder') yield* entriesBelow(top, relative);
  }
}
