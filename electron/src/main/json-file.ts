import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** The content of a file of the profile; undefined when it is missing or no JSON. Callers validate it: it may have been edited. */
export function readJsonFile(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Writes a file of the profile, atomically, readable by this user only. */
export function writeJsonFile(file: string, value: unknown): void {
  mkdirSync(path.dirname(file), { recursive: true });
  const partial = `${file}.${process.pid}.part`;
  writeFileSync(partial, `${JSON.stringify(value, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(partial, file);
}
