import { stat } from 'node:fs/promises';
import path from 'node:path';

import { ServiceError } from '../../../errors/service-error.ts';
import { isThere } from '../../process/is-there.ts';

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
