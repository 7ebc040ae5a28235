import { existsSync, readdirSync } from 'node:fs';
import { readFile, realpath } from 'node:fs/promises';
import path from 'node:path';

import { readRegularFile } from '../files/regular-file.ts';
import { isReached, outsideReach } from '../files/source-reach.ts';
import { isObject } from '../model/json.ts';
import { manifestProblem } from './manifest-keys.ts';

const fileNames = ['agent.json', 'langgraph.json', 'service.json'];

/** Reads the manifest by the first of its possible names in the folder; rejects with `manifest_invalid`. */
export async function readManifestFile(
  directory: string,
  reach?: readonly string[],
): Promise<{ file: string; document: Record<string, unknown> }> {
  for (const name of fileNames) {
    const file = path.join(directory, name);
    let text: string;
    try {
      text = await readNamedFile(file, reach);
    } catch (error) {
      if (isMissing(error)) continue;
      if (error instanceof OutsideReach) throw manifestProblem(file, undefined, error.message);
      throw manifestProblem(file, undefined, 'the file cannot be read.');
    }
    return { file, document: parse(file, text) };
  }
  throw manifestProblem(
    directory,
    undefined,
    `there is no ${listed(fileNames)}; ${help(directory)}`,
  );
}

/** A file of the agent folder leads outside of what its sandbox may open. */
export class OutsideReach extends Error {}

/** The text of a file; in a sandbox (`reach`) only of a regular file of limited size in an allowed location. */
export async function readNamedFile(
  file: string,
  reach: readonly string[] | undefined,
): Promise<string> {
  if (!reach) return await readFile(file, 'utf8');
  const real = await realpath(file);
  if (!isReached(real, reach)) throw new OutsideReach(outsideReach('it'));
  return readRegularFile(real);
}

/** True for the error of a file that does not exist. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/** Suggests folders with a manifest: the parent folder or subfolders. */
function help(directory: string): string {
  const below = subfolders(directory).map((name) => path.join(directory, name));
  const others = [path.dirname(directory), ...below].filter((folder) =>
    fileNames.some((name) => existsSync(path.join(folder, name))),
  );
  if (others.length > 0) return `serve ${listed(others.slice(0, 3))}, which has one.`;
  return 'serve the folder that has it, or write one: {"graphs": {"agent": "./agent.py:graph"}}.';
}

function subfolders(directory: string): string[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name !== 'node_modules')
      .map(({ name }) => name);
  } catch {
    return []; // no read permission
  }
}

function parse(file: string, text: string): Record<string, unknown> {
  let document: unknown;
  try {
    document = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown';
    throw manifestProblem(file, undefined, `the file is not JSON: ${reason}`);
  }
  if (isObject(document)) return document;
  throw manifestProblem(file, undefined, 'the file is not a JSON object; it begins with {.');
}

function listed(names: readonly string[]): string {
  if (names.length < 2) return names.join('');
  return `${names.slice(0, -1).join(', ')} or ${names.at(-1) ?? ''}`;
}
