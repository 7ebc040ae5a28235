import { readFile } from 'node:fs/promises';
import { parseEnv } from 'node:util';

import { ServiceError } from '../errors/service-error.ts';

/** The environment of guests without a sandbox (decisions: "guest environment"): later entries win. */
export async function guestEnvironment(parts: {
  user: Readonly<Record<string, string | undefined>>;
  manifest: Readonly<Record<string, string>>;
  envFiles: readonly string[];
}): Promise<Record<string, string>> {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(parts.user)) {
    // Ours holds secrets that are none of the agent's business.
    if (value !== undefined && !name.startsWith('SERVICE_')) environment[name] = value;
  }
  Object.assign(environment, parts.manifest);
  for (const file of parts.envFiles) Object.assign(environment, await readEnvFile(file));
  return environment;
}

async function readEnvFile(file: string): Promise<NodeJS.Dict<string>> {
  try {
    return parseEnv(await readFile(file, 'utf8'));
  } catch (cause) {
    throw new ServiceError('config_invalid', `The environment file ${file} cannot be read.`, {
      cause,
    });
  }
}
