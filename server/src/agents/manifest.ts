import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseEnv } from 'node:util';

import type { ManifestAgent } from './agent.ts';
import { isInside, readGraphEntry } from './graph-entry.ts';
import { isObject, manifestProblem } from './manifest-problem.ts';

/** The agent folder's manifest. */
export interface Manifest {
  /** Path of the file. */
  file: string;
  /** In the file's order; the first one is the default. Never empty. */
  agents: readonly [ManifestAgent, ...ManifestAgent[]];
  /** What `env` says, read from its file when it names one. */
  environment: Readonly<Record<string, string>>;
  /** As the file has them, for whoever sets up the agents' packages. */
  dependencies: readonly string[];
  pythonVersion?: string;
  nodeVersion?: string;
  /** One sentence for every key that means nothing to us. */
  warnings: readonly string[];
}

const fileNames = ['agent.json', 'langgraph.json', 'service.json'];

/** Keys of langgraph.json, also those that only its own builder and server act upon. */
const knownKeys = new Set(
  (
    '$schema name description version graphs env dependencies python_version node_version source store ' +
    'checkpointer auth http encryption webhooks api_version base_image image_distro dockerfile_lines ' +
    'internal_docker_tag pip_installer pip_config_file keep_pkg_tools ui ui_config'
  ).split(' '),
);

/** Reads the manifest of an agent folder; rejects with `manifest_invalid`, naming file, entry and reason. */
export async function readManifest(directory: string): Promise<Manifest> {
  const { file, text } = await findFile(directory);
  const document = parse(file, text);
  const warnings: string[] = [];
  const warn = (sentence: string): void => {
    warnings.push(sentence);
  };
  for (const key of Object.keys(document)) {
    if (!knownKeys.has(key)) warn(`${file}: unknown key "${key}"`);
  }
  const [first, ...others] = readGraphs(document['graphs'], { file, directory, warn });
  if (!first) throw manifestProblem(file, 'graphs', 'there is no entry.');
  return {
    file,
    agents: [first, ...others],
    environment: await readEnvironment(document['env'], file, directory),
    dependencies: readDependencies(document['dependencies'], file),
    ...optionalText(document, 'python_version', 'pythonVersion', file),
    ...optionalText(document, 'node_version', 'nodeVersion', file),
    warnings,
  };
}

async function findFile(directory: string): Promise<{ file: string; text: string }> {
  for (const name of fileNames) {
    const file = path.join(directory, name);
    try {
      return { file, text: await readFile(file, 'utf8') };
    } catch (error) {
      if (isMissing(error)) continue;
      throw manifestProblem(file, undefined, 'the file cannot be read.');
    }
  }
  const names = `${fileNames.slice(0, -1).join(', ')} or ${fileNames.at(-1) ?? ''}`;
  throw manifestProblem(directory, undefined, `there is no ${names}.`);
}

function parse(file: string, text: string): Record<string, unknown> {
  let document: unknown;
  try {
    document = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown';
    throw manifestProblem(file, undefined, `the file is not JSON: ${reason}`);
  }
  if (!isObject(document)) throw manifestProblem(file, undefined, 'the file is not a JSON object.');
  return document;
}

function readGraphs(
  graphs: unknown,
  place: { file: string; directory: string; warn: (sentence: string) => void },
): ManifestAgent[] {
  if (graphs === undefined) throw manifestProblem(place.file, 'graphs', 'the key is missing.');
  if (!isObject(graphs)) throw manifestProblem(place.file, 'graphs', 'it is not an object.');
  return Object.entries(graphs).map(([name, value]) => readGraphEntry(name, value, place));
}

async function readEnvironment(
  env: unknown,
  file: string,
  directory: string,
): Promise<Record<string, string>> {
  if (env === undefined || env === '') return {};
  if (typeof env === 'string') return await readEnvFile(env, file, directory);
  if (!isObject(env))
    throw manifestProblem(file, 'env', 'it is neither an object nor a file name.');
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
  file: string,
  directory: string,
): Promise<Record<string, string>> {
  const envFile = path.resolve(directory, name);
  if (!isInside(envFile, directory)) {
    throw manifestProblem(file, 'env', `"${name}" is outside of the agent folder.`);
  }
  try {
    // A name without a value is not among the parsed ones, whatever the type says.
    return { ...parseEnv(await readFile(envFile, 'utf8')) } as Record<string, string>;
  } catch {
    throw manifestProblem(file, 'env', `the file "${name}" cannot be read.`);
  }
}

function readDependencies(dependencies: unknown, file: string): string[] {
  if (dependencies === undefined) return [];
  const isList = Array.isArray(dependencies);
  if (isList && dependencies.every((entry): entry is string => typeof entry === 'string')) {
    return dependencies;
  }
  throw manifestProblem(file, 'dependencies', 'it is not a list of strings.');
}

function optionalText<Name extends string>(
  document: Record<string, unknown>,
  key: string,
  name: Name,
  file: string,
): { [Key in Name]?: string } {
  const value = document[key];
  if (value === undefined) return {};
  if (typeof value !== 'string') throw manifestProblem(file, key, 'it is not a string.');
  return { [name]: value } as { [Key in Name]?: string }; // a computed key is typed as any string
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
