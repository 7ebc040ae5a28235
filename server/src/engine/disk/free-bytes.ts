import { statfs } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

/** Each pending read occupies one of the four threads that Node has for files. */
const MAX_UNANSWERED = 2;

/** The bytes that are free in the folder for users other than root. */
export async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** The same read, which rejects when it takes too long: a network file system may never respond. */
export function answeredWithin(limitMs: number, read: () => Promise<number>) {
  let unanswered = 0;

  async function ask(): Promise<number> {
    unanswered++;
    try {
      return await read();
    } finally {
      unanswered--;
    }
  }

  return async (): Promise<number> => {
    if (unanswered >= MAX_UNANSWERED) throw new Error('The file system does not answer.');
    const ended = new AbortController();
    const limit = pause(limitMs, undefined, { ref: false, signal: ended.signal });
    try {
      const bytes = await Promise.race([ask(), limit]);
      if (bytes === undefined) throw new Error('The file system did not answer in time.');
      return bytes;
    } finally {
      ended.abort();
    }
  };
}
