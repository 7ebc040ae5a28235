import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { ServiceError } from '../../errors/service-error.ts';
import {
  IMAGE_AGENT_BYTES,
  IMAGE_AGENT_FILE_BYTES,
  IMAGE_AGENT_FILES,
} from '../../model/limits/image-limits.ts';

/** An entry of a folder of an image, which is untrusted input. */
export interface ImageEntry {
  /** Relative to the folder, with `/`. */
  readonly path: string;
  /** `other`: a link, a device, a pipe. */
  readonly kind: 'file' | 'folder' | 'other';
  readonly size: number;
  /** To be called before the next entry is requested. */
  content(): Promise<Buffer>;
}

/** The result of copying. */
export interface CopiedFolder {
  readonly copied: number;
  /** Entries that are neither files nor folders. */
  readonly leftOut: number;
}

/** Folders of packages and the like, which a manifest does not name. */
const passed = new Set(['node_modules', '.venv', '__pycache__', '.git']);

/**
 * Copies the parts of an image's folder that the service reads into a fresh one: only files and folders, no links. A
 * file above IMAGE_AGENT_FILE_BYTES is created empty. Rejects with `guest_unavailable` for a path that leads out of the
 * folder, too many files or too many bytes.
 */
export async function copyImageFolder(
  entries: AsyncIterable<ImageEntry>,
  target: string,
): Promise<CopiedFolder> {
  await mkdir(target, { recursive: true });
  let [files, bytes, copied, leftOut] = [0, 0, 0, 0];
  for await (const entry of entries) {
    const parts = entry.path.split('/');
    if (parts.some((part) => passed.has(part))) continue;
    if (parts.some((part) => !isName(part)))
      throw refused('a path in it leads out of its agent folder');
    if ((files += 1) > IMAGE_AGENT_FILES)
      throw refused(`its agent folder has more than ${IMAGE_AGENT_FILES} files`);
    const entryPath = path.join(target, ...parts);
    if (entry.kind === 'folder') await mkdir(entryPath, { recursive: true });
    else if (entry.kind === 'other') leftOut += 1;
    else {
      const isRead = entry.size <= IMAGE_AGENT_FILE_BYTES;
      if (isRead && (bytes += entry.size) > IMAGE_AGENT_BYTES)
        throw refused(`its agent folder is larger than ${IMAGE_AGENT_BYTES} bytes`);
      await mkdir(path.dirname(entryPath), { recursive: true });
      await writeFile(entryPath, isRead ? await entry.content() : '', { flag: 'wx', mode: 0o644 });
      copied += 1;
    }
  }
  return { copied, leftOut };
}

function isName(part: string): boolean {
  return part !== '' && part !== '.' && part !== '..' && !/[\0\\]/.test(part);
}

function refused(reason: string): ServiceError {
  return new ServiceError('guest_unavailable', `The image cannot be used: ${reason}.`);
}
