import { statSync, type Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { ReadPolicyFile } from './rego-source.ts';

/** Files by name, each with a stamp that differs when the file has changed. */
export type FileStamps = ReadonlyMap<string, string>;

/**
 * Reads files, and records each one's stamp just before its first read, so that a change during the read is noticed
 * later.
 */
export function stampingReader(readFile: ReadPolicyFile): {
  readFile: ReadPolicyFile;
  stamps: FileStamps;
} {
  const stamps = new Map<string, string>();
  return {
    stamps,
    readFile(path) {
      if (!stamps.has(path)) stamps.set(path, stampNow(path));
      return readFile(path);
    },
  };
}

/** The current stamps of the same files. Links are followed: the stamp is that of the target. */
export async function stampsNow(paths: Iterable<string>): Promise<FileStamps> {
  const stamps = new Map<string, string>();
  // One after the other: there may be thousands, and the result is not urgent.
  for (const path of paths) stamps.set(path, await stat(path).then(stampOf, () => MISSING));
  return stamps;
}

/** Whether all files are unchanged. */
export function areSame(some: FileStamps, others: FileStamps): boolean {
  return (
    some.size === others.size && [...some].every(([path, stamp]) => others.get(path) === stamp)
  );
}

const MISSING = 'missing';

function stampNow(path: string): string {
  try {
    return stampOf(statSync(path));
  } catch {
    return MISSING; // or inaccessible, which is treated the same way
  }
}

/** Includes the time of the last permission change, before which a file may have been unreadable. */
function stampOf({ mtimeMs, ctimeMs, size, ino }: Stats): string {
  return [mtimeMs, ctimeMs, size, ino].join(':');
}
