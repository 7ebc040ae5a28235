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

/** Windows defines only the first; undefined counts as 0. There links need rights, and folders contain no FIFOs. */
const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

/**
 * The text of a file that an agent folder names. Rejects a file that is not regular or exceeds the limit, instead of
 * waiting for a FIFO or reading a device without end. The path must be a real path: links are not followed.
 */
export function readRegularFile(real: string): string {
  requireRegular(statSync(real)); // before opening it, which has side effects on some devices
  const opened = openSync(real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stats = fstatSync(opened);
    requireRegular(stats);
    // At most the reported size: files of /proc report 0 and are therefore read as empty.
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

/** The text of a file at any path; undefined when it cannot be read. */
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
