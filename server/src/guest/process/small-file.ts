import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** More than any file that a service leaves to the next one. */
const MOST_BYTES = 4_096;

/**
 * The text of a small file in a folder where strangers may have made names: a link is not followed, a pipe not waited for,
 * a device not read. Rejects when there is no such file, or a larger one.
 */
export async function readSmallFile(file: string): Promise<string> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const handle = await open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    if (!(await handle.stat()).isFile()) throw new Error('It is not a regular file.');
    // What it holds may be more than it says.
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(MOST_BYTES + 1));
    if (bytesRead > MOST_BYTES) throw new Error('It is too large.');
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}
