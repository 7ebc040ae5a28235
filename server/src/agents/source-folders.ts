import { existsSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

import { isReached, outsideReach } from '../files/source-reach.ts';
import { isObject } from '../model/json.ts';
import { manifestProblem } from './manifest-keys.ts';

/** Where the code of an agent folder is. All paths are absolute. */
export interface SourceFolders {
  /** The agent folder, then those of `dependencies` outside of it: what is watched, has a version and may be named. */
  folders: readonly [string, ...string[]];
  /** Where modules are looked for, in this order. */
  importPaths: readonly string[];
}

interface Place {
  file: string;
  directory: string;
  isClosed: boolean;
  /** In a sandbox, where folders may be; absent: anywhere. */
  reach?: readonly string[];
  warn: (sentence: string) => void;
}

/**
 * The folders that `dependencies` and `source.root` name, as LangGraph's server puts them on the path; and `src` of
 * each that is a Python project of that layout, which there has to be installed. Throws `manifest_invalid`.
 */
export function findSourceFolders(
  dependencies: readonly string[],
  source: unknown,
  place: Place,
): SourceFolders {
  const { directory } = place;
  const named = dependencies.flatMap((entry) => localFolder(entry, 'dependencies', place));
  if (isObject(source) && typeof source['root'] === 'string') {
    named.push(...localFolder(source['root'], 'source.root', place));
  }
  const folders: [string, ...string[]] = [directory];
  for (const folder of named) {
    // By where links lead: what is reached through one is neither watched nor a part of the version otherwise.
    const real = realpathSync(folder);
    if (!folders.some((known) => isWithin(real, realpathSync(known)))) folders.push(real);
  }
  const importPaths = [directory, ...named].flatMap((folder) => [folder, ...layoutOf(folder)]);
  return { folders, importPaths: [...new Set(importPaths)] };
}

/** The folder of an entry; none for a package of a registry, and with a warning for what is not there. */
function localFolder(entry: string, key: string, place: Place): string[] {
  const { file, directory, isClosed, reach, warn } = place;
  const name = portable(entry);
  const folder = path.resolve(directory, name);
  if (isClosed && /^[./]/.test(name)) requireWithin(folder, `"${entry}"`, { file, key, directory });
  const found = existsSync(folder) ? statSync(folder) : undefined;
  if (found?.isDirectory() !== true) {
    if (!/^[./]/.test(name)) return []; // `langchain_openai`, `git+https://…`
    const what = found ? 'is a file, not a folder' : 'is not there';
    warn(`${file}: ${key}: "${entry}" ${what}: it is left out`);
    return [];
  }
  if (folder === directory) return [folder];
  const real = realpathSync(folder);
  if (isWithin(homeOf(), real)) {
    const reason = `"${entry}" is ${folder}, much more than the agents' code; name the folder that has it.`;
    throw manifestProblem(file, key, reason);
  }
  if (reach && !isReached(real, reach)) {
    throw manifestProblem(file, key, outsideReach(`"${entry}"`));
  }
  return [folder];
}

/** For folders of strangers, which hold no links: by name alone. Throws `manifest_invalid`. */
export function requireWithin(
  place: string,
  named: string,
  { file, key, directory }: { file: string; key: string; directory: string },
): void {
  if (isWithin(place, directory)) return;
  throw manifestProblem(file, key, `${named} is outside of the image's agent folder.`);
}

/** Where nothing is said, the folder above everything. */
function homeOf(): string {
  const home = homedir();
  return existsSync(home) ? realpathSync(home) : path.parse(home).root;
}

/** The folder in which a Python project of the src layout has its packages. */
function layoutOf(project: string): string[] {
  const source = path.join(project, 'src');
  const isProject = ['pyproject.toml', 'setup.py', 'setup.cfg'].some((name) =>
    existsSync(path.join(project, name)),
  );
  const isLayout = existsSync(source) && !existsSync(path.join(source, '__init__.py'));
  return isProject && isLayout ? [source] : [];
}

/** With `/` between its parts, also where it was written on Windows. */
export function portable(name: string): string {
  return name.replaceAll('\\', '/');
}

/** True for the folder itself and what is below it, by their names. */
export function isWithin(file: string, directory: string): boolean {
  const relative = path.relative(directory, file);
  return !/^\.\.([\\/]|$)/.test(relative) && !path.isAbsolute(relative);
}

/** True when the path, and what it leads to by links, is within one of the folders. */
export function isWithinSources(file: string, folders: readonly string[]): boolean {
  return folders.some((folder) => isWithin(realpathSync(file), realpathSync(folder)));
}
