import { statSync, type Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { ReadPolicyFile } from './rego-source.ts';

/** Files by name, and what tells a file from what it was before. */
export type FileStamps = ReadonlyMap<string, string>;

/** Reads files, and keeps how each was just before it was first read: what changes meanwhile shows later. */
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

/** How the same files are now. Links are followed: whatever a name leads to is what counts. */
export async function stampsNow(paths: Iterable<string>): Promise<FileStamps> {
  const stamps = new Map<string, string>();
  // One after the other: there may be thousands, and nobody waits.
  for (const path of paths) stamps.set(path, await stat(path).then(stampOf, () => MISSING));
  return stamps;
}

/** Whether all files are as they were. */
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
    return MISSING; // or not to be looked at, which is as bad
  }
}

/** With the time of the last change of permissions, without which a file may not have been readable. */
function stampOf({ mtimeMs, ctimeMs, size, ino }: Stats): string {
  return [mtimeMs, ctimeMs, size, ino].join(':');
}
