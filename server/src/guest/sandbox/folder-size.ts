import { lstat, opendir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Between two looks; after a long one more, so that looking is a small part of the work. */
const LOOK_EVERY_MS = 2_000;
const REST = 5;

/**
 * What a folder takes of the disk; counted no further than `most`. What goes meanwhile counts nothing; a folder that was
 * closed to its owner has no size that would be in bounds.
 */
export async function folderSize(folder: string, most: number): Promise<number> {
  let bytes = 0;
  try {
    for await (const entry of await opendir(folder)) {
      const place = path.join(folder, entry.name);
      if (entry.isDirectory()) bytes += await folderSize(place, most - bytes);
      // Blocks, and not lengths: a file of holes takes nothing. An empty one has an entry.
      else bytes += 512 * (1 + (await lstat(place).catch(() => ({ blocks: 0 }))).blocks);
      if (bytes > most) break;
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EACCES') return Infinity;
    // It is gone.
  }
  return bytes;
}

/** A signal that is aborted once the folder has more than `most`, looked at until `stop`. */
export function sizeLimit(
  folder: string,
  most: number,
  everyMs = LOOK_EVERY_MS,
): { signal: AbortSignal; stop: () => void } {
  const exceeded = new AbortController();
  const stopped = new AbortController();
  const watch = async (): Promise<void> => {
    for (let took = 0; ;) {
      await delay(Math.max(everyMs, REST * took), undefined, {
        signal: stopped.signal,
        ref: false,
      });
      const begun = performance.now();
      if ((await folderSize(folder, most)) > most) return exceeded.abort();
      took = performance.now() - begun;
    }
  };
  void watch().catch(() => undefined); // it was stopped
  return { signal: exceeded.signal, stop: () => stopped.abort() };
}
