import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';

import { NAMED_FILE_BYTES } from '../model/limits/sandbox-limits.ts';

/** Windows, where links need rights and no folder has a FIFO, knows the first alone: undefined counts as 0. */
const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

/**
 * The text of a file that an agent folder names. Rejects what is no regular file or larger than the limit, instead of
 * waiting for a FIFO or reading a device without end. The path is the real one: no link is followed any more.
 */
export function readRegularFile(real: string): string {
  requireRegular(statSync(real)); // before it is opened: that alone does something with some devices
  const opened = openSync(real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stats = fstatSync(opened);
    requireRegular(stats);
    // No more than it says it has: files of /proc say that they are empty, and so they are here.
    const bytes = Buffer.alloc(stats.size);
    let filled = 0;
    while (filled < bytes.length) {
      const count = readSync(opened, bytes, filled, bytes.length - filled, filled);
      if (count === 0) break;
      filled += count;
    }
    return bytes.toString('utf8', 0, filled);
  } finally {
    closeSync(opened);
  }
}

/** The same by any path; undefined for what cannot be read. */
export function textOfFile(file: string): string | undefined {
  try {
    return readRegularFile(realpathSync(file));
  } catch {
    return undefined;
  }
}

function requireRegular(stats: { isFile(): boolean; size: number }): void {
  if (!stats.isFile()) throw new Error('It is no regular file.');
  if (stats.size > NAMED_FILE_BYTES) throw new Error('It is too large.');
}
