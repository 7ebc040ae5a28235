import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { ServiceError } from '../errors/service-error.ts';

/** The files' variables, later files before earlier ones. Without a list: `.env` of the agent folder, if there is one. */
export function readEnvironmentFiles(
  paths: readonly string[] | undefined,
  sourceDir: string,
): Record<string, string> {
  const discovered = join(sourceDir, '.env');
  const files = paths ?? (existsSync(discovered) ? [discovered] : []);
  const merged: Record<string, string> = {};
  for (const path of files) {
    try {
      Object.assign(merged, parseEnv(readFileSync(path, 'utf8')));
    } catch (cause) {
      throw new ServiceError('config_invalid', `The environment file ${path} cannot be read.`, {
        cause,
      });
    }
  }
  return merged;
}
