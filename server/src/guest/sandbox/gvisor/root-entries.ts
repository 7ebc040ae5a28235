import { lstat, opendir, readFile } from 'node:fs/promises';
import path from 'node:path';

import type { ImageEntry } from '../image-folder.ts';

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
