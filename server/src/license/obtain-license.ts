import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isServiceError } from '../errors/service-error.ts';
import { communityKey, type License, missingLicense, verifyLicense } from './verify-license.ts';

/** Prompts the user at the terminal. */
export interface LicenseTerminal {
  /** Undefined: closed without a reply. */
  ask(question: string): Promise<string | undefined>;
  say(sentence: string): void;
}

export interface LicenseRequest {
  /** From the configuration: when present, no other key is used. */
  configuredKey?: string;
  /** The user's configuration directory, where an entered key is stored. */
  configDir: string;
  /** Absent without a terminal: then a missing or wrong key is an error. */
  terminal?: LicenseTerminal;
}

const question =
  'A licence key is needed. Paste yours, or press Enter to use the free community key: ';
const tries = 3;

async function prompt(terminal: LicenseTerminal, configDir: string): Promise<License> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await terminal.ask(question);
    if (answer === undefined) throw missingLicense();
    const typed = answer.trim();
    const key = typed === '' ? communityKey() : typed;
    try {
      const license = await verifyLicense(key);
      terminal.say(`Licence key (${license.tier}) stored in ${storeKey(configDir, key)}.`);
      return license;
    } catch (error) {
      if (!isServiceError(error) || attempt === tries) throw error;
      terminal.say(error.message);
    }
  }
}

/** A valid licence from the configuration, the stored key or the terminal, in this order; `license_invalid` otherwise. */
export async function obtainLicense(request: LicenseRequest): Promise<License> {
  const { configuredKey, configDir, terminal } = request;
  if (configuredKey !== undefined) return verifyLicense(configuredKey);
  const stored = readStoredKey(configDir);
  if (stored !== undefined) {
    try {
      return await verifyLicense(stored);
    } catch (error) {
      if (terminal === undefined) throw error;
      terminal.say(isServiceError(error) ? error.message : String(error));
    }
  }
  if (terminal === undefined) throw missingLicense();
  return prompt(terminal, configDir);
}

function keyFile(configDir: string): string {
  return join(configDir, 'license.key');
}

/** This user's stored key; undefined when there is none. */
function readStoredKey(configDir: string): string | undefined {
  try {
    return readFileSync(keyFile(configDir), 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}

/** Stores a key with read access for this user only; returns the path of the file. */
function storeKey(configDir: string, key: string): string {
  mkdirSync(configDir, { recursive: true, mode: 0o700 });
  const path = keyFile(configDir);
  writeFileSync(path, `${key}\n`, { mode: 0o600 });
  // The mode above applies only to a new file.
  chmodSync(path, 0o600);
  return path;
}
