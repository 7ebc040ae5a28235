import path from 'node:path';
import { parseEnv } from 'node:util';
import { outsideReach } from '../files/source-reach.ts';
import { resolveReferences } from '../model/env-references.ts';
import { type EntryLocation, manifestProblem } from './manifest-keys.ts';
import { isMissing, OutsideReach, readNamedFile } from './manifest-file.ts';
import { isObject } from '../model/json.ts';
import { portable, requireWithin } from './source-folders.ts';

/**
 * The value of `env`: variables, or a file of them, also one outside of the agent folder as in monorepos: without a
 * sandbox agents run with the user's rights and may read it anyway. A missing file is only a warning, since it is
 * rarely checked in.
 */
export async function readEnvironment(
  env: unknown,
  location: EntryLocation,
  outer: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const { file } = location;
  if (env === undefined || env === null || env === '') return {};
  if (typeof env === 'string') return await readEnvFile(env, location, outer);
  // Names of variables that an image takes from its build environment; here agents have the user's variables.
  if (Array.isArray(env) && env.every((name) => typeof name === 'string')) return {};
  if (!isObject(env)) {
    throw manifestProblem(file, 'env', 'it is neither an object of variables nor a file name.');
  }
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => {
      if (typeof value === 'string') return [name, value];
      if (typeof value === 'number' || typeof value === 'boolean') return [name, String(value)];
      throw manifestProblem(file, `env.${name}`, 'the value is not a string.');
    }),
  );
}

async function readEnvFile(
  name: string,
  location: EntryLocation,
  outer: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const { file, directory, isClosed, reach, warn } = location;
  const named = path.resolve(directory, portable(name));
  if (isClosed) requireWithin(named, `"${name}"`, { file, key: 'env', directory });
  try {
    const text = await readNamedFile(named, reach);
    return resolveReferences(parseEnv(text), outer);
  } catch (error) {
    if (error instanceof OutsideReach) {
      throw manifestProblem(file, 'env', outsideReach(`"${name}"`));
    }
    if (!isMissing(error)) {
      throw manifestProblem(file, 'env', `the file "${name}" cannot be read.`);
    }
    warn(`${file}: env: there is no file "${name}", so none of its variables are set`);
    return {};
  }
}
