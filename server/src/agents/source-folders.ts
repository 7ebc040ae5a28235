import { existsSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

import { isReached, outsideReach } from '../files/source-reach.ts';
import { isObject } from '../model/json.ts';
import { manifestProblem } from './manifest-keys.ts';

/** The folders of an agent folder's code. All paths are absolute. */
export interface SourceFolders {
  /**
   * The agent folder, then those of `dependencies` outside of it: they are watched, versioned and may be referred to.
   */
  folders: readonly [string, ...string[]];
  /** The search path of modules, in this order. */
  importPaths: readonly string[];
}

interface ManifestContext {
  file: string;
  directory: string;
  isClosed: boolean;
  /** In a sandbox, the allowed locations of folders; absent: anywhere. */
  reach?: readonly string[];
  warn: (sentence: string) => void;
}

/**
 * The folders that `dependencies` and `source.root` name, which LangGraph's server adds to the path; and `src` of each
 * that is a Python project with that layout, which LangGraph requires to be installed. Throws `manifest_invalid`.
 */
export function findSourceFolders(
  dependencies: readonly string[],
  source: unknown,
  manifest: ManifestContext,
): SourceFolders {
  const { directory } = manifest;
  const named = dependencies.flatMap((entry) => localFolder(entry, 'dependencies', manifest));
  if (isObject(source) && typeof source['root'] === 'string') {
    named.push(...localFolder(source['root'], 'source.root', manifest));
  }
  const folders: [string, ...string[]] = [directory];
  for (const folder of named) {
    // By real path: otherwise a folder behind a link would be neither watched nor part of the version.
    const real = realpathSync(folder);
    if (!folders.some((known) => isWithin(real, realpathSync(known)))) folders.push(real);
  }
  const importPaths = [directory, ...named].flatMap((folder) => [folder, ...layoutOf(folder)]);
  return { folders, importPaths: [...new Set(importPaths)] };
}

/** The folder of an entry; none for a package of a registry, and none, with a warning, for a missing folder. */
function localFolder(entry: string, key: string, manifest: ManifestContext): string[] {
  const { file, directory, isClosed, reach, warn } = manifest;
  const name = portable(entry);
  const folder = path.resolve(directory, name);
  if (isClosed && /^[./]/.test(name)) requireWithin(folder, `"${entry}"`, { file, key, directory });
  const found = existsSync(folder) ? statSync(folder) : undefined;
  if (found?.isDirectory() !== true) {
    if (!/^[./]/.test(name)) return []; // `langchain_openai`, `git+https://…`
    const what = found ? 'is a file, not a folder' : 'does not exist';
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

/** Checks by name alone, for untrusted folders, which contain no links. Throws `manifest_invalid`. */
export function requireWithin(
  folder: string,
  named: string,
  { file, key, directory }: { file: string; key: string; directory: string },
): void {
  if (isWithin(folder, directory)) return;
  throw manifestProblem(file, key, `${named} is outside of the image's agent folder.`);
}

/** The home folder, or the root folder when it is unknown. */
function homeOf(): string {
  const home = homedir();
  return existsSync(home) ? realpathSync(home) : path.parse(home).root;
}

/** The packages folder of a Python project with the src layout. */
function layoutOf(project: string): string[] {
  const source = path.join(project, 'src');
  const isProject = ['pyproject.toml', 'setup.py', 'setup.cfg'].some((name) =>
    existsSync(path.join(project, name)),
  );
  const isLayout = existsSync(source) && !existsSync(path.join(source, '__init__.py'));
  return isProject && isLayout ? [source] : [];
}

/** With `/` as separator, also for paths written on Windows. */
export function portable(name: string): string {
  return name.replaceAll('\\', '/');
}

/** True for the folder itself and everything below it, by name. */
export function isWithin(file: string, directory: string): boolean {
  const relative = path.relative(directory, file);
  return !/^\.\.([\\/]|$)/.test(relative) && !path.isAbsolute(relative);
}

/** True when the path, with its links resolved, is within one of the folders. */
export function isWithinSources(file: string, folders: readonly string[]): boolean {
  return folders.some((folder) => isWithin(realpathSync(file), realpathSync(folder)));
}
