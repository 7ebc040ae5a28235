import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { ServiceError } from '../errors/service-error.ts';
import { readRegularFile } from '../files/regular-file.ts';
import { isReached, outsideReach, reachOf } from '../files/source-reach.ts';
import { resolveReferences } from '../model/env-references.ts';

interface Reading {
  /** The user's variables. */
  outer: Readonly<Record<string, string>>;
  /** In a sandbox, the additional folders that the agent folder may refer to. */
  sourceFolders?: readonly string[];
}

/**
 * The files' variables; later files override earlier ones. Files that the user names may refer to the user's variables.
 * Without a list: `.env` of the agent folder, if it exists; an image has no agent folder on this machine.
 */
export function readEnvironmentFiles(
  paths: readonly string[] | undefined,
  sourceDir: string | undefined,
  reading: Reading,
): Record<string, string> {
  if (paths === undefined) return sourceDir === undefined ? {} : readDiscovered(sourceDir, reading);
  const merged: Record<string, string> = {};
  for (const path of paths) {
    const text = readable(path, () => readFileSync(path, 'utf8'));
    Object.assign(merged, resolveReferences(parseEnv(text), reading.outer));
  }
  return merged;
}

/** In a sandbox the folder is untrusted: its file gets neither the user's variables nor other files. */
function readDiscovered(
  sourceDir: string,
  { outer, sourceFolders }: Reading,
): Record<string, string> {
  const file = join(sourceDir, '.env');
  if (!existsSync(file)) return {};
  if (!sourceFolders) {
    return resolveReferences(parseEnv(readable(file, () => readFileSync(file, 'utf8'))), outer);
  }
  const real = realpathSync(file);
  if (!isReached(real, reachOf(sourceDir, sourceFolders))) {
    throw new ServiceError('config_invalid', outsideReach(`The environment file ${file}`));
  }
  return resolveReferences(parseEnv(readable(file, () => readRegularFile(real))), {});
}

function readable(path: string, read: () => string): string {
  try {
    return read();
  } catch (cause) {
    throw new ServiceError('config_invalid', `The environment file ${path} cannot be read.`, {
      cause,
    });
  }
}
