import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { ServiceError } from '../errors/service-error.ts';
import { resolveReferences } from '../model/env-references.ts';

/** The files' variables, later files before earlier ones; they may refer to those of `outer`. Without a list: `.env` of the agent folder, if there is one; an image's is no folder of ours. */
export function readEnvironmentFiles(
  paths: readonly string[] | undefined,
  sourceDir: string | undefined,
  outer: Readonly<Record<string, string>>,
): Record<string, string> {
  const discovered = sourceDir === undefined ? [] : [join(sourceDir, '.env')];
  const files = paths ?? discovered.filter((file) => existsSync(file));
  const merged: Record<string, string> = {};
  for (const path of files) {
    try {
      Object.assign(merged, resolveReferences(parseEnv(readFileSync(path, 'utf8')), outer));
    } catch (cause) {
      throw new ServiceError('config_invalid', `The environment file ${path} cannot be read.`, {
        cause,
      });
    }
  }
  return merged;
}
