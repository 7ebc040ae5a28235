import { lstat, opendir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** The pause between two measurements; longer after a long one, so that they cost a small part of the time. */
const LOOK_EVERY_MS = 2_000;
const REST = 5;

/**
 * The disk usage of a folder; counting stops beyond `most`. Entries that disappear meanwhile do not count; a folder
 * that its owner cannot read has an infinite size.
 */
export async function folderSize(folder: string, most: number): Promise<number> {
  let bytes = 0;
  try {
    for await (const entry of await opendir(folder)) {
      const entryPath = path.join(folder, entry.name);
      if (entry.isDirectory()) bytes += await folderSize(entryPath, most - bytes);
      // Blocks, not lengths: a sparse file uses no space. An empty file counts one block for its entry.
      else bytes += 512 * (1 + (await lstat(entryPath).catch(() => ({ blocks: 0 }))).blocks);
      if (bytes > most) break;
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EACCES') return Infinity;
    // It no longer exists.
  }
  return bytes;
}

/** A signal that is aborted once the folder exceeds `most`; measured until `stop` is called. */
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
