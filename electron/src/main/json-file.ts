import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** What a file of the profile holds; undefined when it is missing or no JSON. Its reader parses it: anybody may have edited it. */
export function readJsonFile(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Writes a file of the profile, whole or not at all, for this user's eyes only. */
export function writeJsonFile(file: string, value: unknown): void {
  mkdirSync(path.dirname(file), { recursive: true });
  const half = `${file}.${process.pid}.part`;
  writeFileSync(half, `${JSON.stringify(value, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(half, file);
}
