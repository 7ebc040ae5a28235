import path from 'node:path';
import { safeStorage } from 'electron';
import * as z from 'zod';
import { readJsonFile, writeJsonFile } from './json-file.ts';

const fileSchema = z.record(z.string(), z.string());

/** Tokens of remote services by their origin, encrypted with a key of the system's own storage. */
export interface Secrets {
  /** The message for the user when this system cannot store secrets. */
  readonly unavailable: string | undefined;
  read(origin: string): string | undefined;
  /** Stores a token; false when it could not. */
  store(origin: string, token: string): boolean;
}

/** Opens the secrets of a profile. Call it after Electron is ready: before, the system's storage is not. */
export function openSecrets(profile: string): Secrets {
  const file = path.join(profile, 'secrets.json');
  const entries = fileSchema.safeParse(readJsonFile(file)).data ?? {};
  const unavailable = isSafe()
    ? undefined
    : 'This system offers no safe storage for secrets: the token is used, but not stored.';
  return {
    unavailable,
    read(origin) {
      const stored = entries[origin];
      if (stored === undefined || unavailable !== undefined) return undefined;
      try {
        return safeStorage.decryptString(Buffer.from(stored, 'base64'));
      } catch {
        return undefined; // encrypted by another user or on another machine
      }
    },
    store(origin, token) {
      if (unavailable !== undefined) return false;
      entries[origin] = safeStorage.encryptString(token).toString('base64');
      writeJsonFile(file, entries);
      return true;
    },
  };
}

/** On Linux without a keyring the key would be a well-known constant. */
function isSafe(): boolean {
  if (!safeStorage.isEncryptionAvailable()) return false;
  return process.platform !== 'linux' || safeStorage.getSelectedStorageBackend() !== 'basic_text';
}
