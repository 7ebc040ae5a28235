import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

function keyFile(configDir: string): string {
  return join(configDir, 'license.key');
}

/** The key that was stored for this user; undefined when there is none. */
export function readStoredKey(configDir: string): string | undefined {
  try {
    return readFileSync(keyFile(configDir), 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}

/** Stores a key so that only its user reads it, and returns where. */
export function storeKey(configDir: string, key: string): string {
  mkdirSync(configDir, { recursive: true, mode: 0o700 });
  const path = keyFile(configDir);
  writeFileSync(path, `${key}\n`, { mode: 0o600 });
  // The mode above counts only for a new file.
  chmodSync(path, 0o600);
  return path;
}
