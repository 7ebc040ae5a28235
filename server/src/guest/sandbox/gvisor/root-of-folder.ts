import { lstat, opendir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { ServiceError } from '../../../errors/service-error.ts';
import { isThere } from '../../process/executable.ts';
import type { ImageEntry } from '../image-folder.ts';

/** An image as gVisor needs it. */
export interface ImageRoot {
  /** The folder with its unpacked files. It is ours: runsc makes in it what is missing to mount upon. */
  readonly root: string;
  /** What the image sets, as `PATH=/usr/bin`. Without a PATH it gets the usual one. */
  readonly env: readonly string[];
  /** Another one for other content. */
  readonly id: string;
}

/** An absolute path is an image, too: a folder with the files of a Linux. Rejects with `guest_unavailable` for any other. */
export async function rootOfFolder(reference: string): Promise<ImageRoot> {
  if (!path.isAbsolute(reference) || !(await isThere(path.join(reference, 'usr')))) {
    const sentence = `There is no image ${reference}: it is no folder with the files of a Linux.`;
    throw new ServiceError('guest_unavailable', sentence);
  }
  const root = path.resolve(reference);
  // Not of the folder itself: what is mounted changes that.
  const { mtimeMs } = await stat(path.join(root, 'usr'));
  return { root, env: [], id: `${root}@${mtimeMs}` };
}

/** The entries of a folder of a root tree that is ours and lies still; none where there is no such folder. No link is followed. */
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
