import { statfs } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

/** Each pending read occupies one of the four threads that Node has for files. */
const MAX_PENDING = 2;

/** The bytes that are free in the folder for users other than root. */
export async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** The same read, which rejects when it takes too long: a network file system may never respond. */
export function withReadTimeout(limitMs: number, read: () => Promise<number>) {
  let pending = 0;

  async function counted(): Promise<number> {
    pending++;
    try {
      return await read();
    } finally {
      pending--;
    }
  }

  return async (): Promise<number> => {
    if (pending >= MAX_PENDING) throw new Error('The file system does not respond.');
    const ended = new AbortController();
    const limit = pause(limitMs, undefined, { ref: false, signal: ended.signal });
    try {
      const bytes = await Promise.race([counted(), limit]);
      if (bytes === undefined) throw new Error('The file system did not respond in time.');
      return bytes;
    } finally {
      ended.abort();
    }
  };
}
