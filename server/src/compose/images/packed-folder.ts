/** Copies the agent folder for an image, without files of this machine and without secrets. */
import { lstatSync } from 'node:fs';
import { cp, mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';

import dockerignore from '@balena/dockerignore';

/** Packages of this machine, caches and histories; `service image pack` installs the packages anew. */
const leftOut = new Set([
  ...['node_modules', '.venv', 'venv', '__pycache__', '.git', '.DS_Store'],
  ...['.ruff_cache', '.mypy_cache', '.pytest_cache'],
]);

/** Excluded files that the agents may need. */
export interface PackedFolder {
  /** Files with variables and credentials, relative to the folder. */
  readonly secrets: readonly string[];
}

/** Copies the agent folder, with links unchanged. Its `.dockerignore` is applied. */
export async function copyAgentFolder(folder: string, target: string): Promise<PackedFolder> {
  const ignored = dockerignore.default().add(await ignoreFile(folder));
  const secrets: string[] = [];
  await mkdir(target, { recursive: true });
  await cp(folder, target, {
    recursive: true,
    verbatimSymlinks: true,
    filter(from) {
      const relative = path.relative(folder, from);
      const name = path.basename(from);
      if (relative === '') return true;
      if (leftOut.has(name)) return false;
      const found = lstatSync(from);
      // A later rule may include a file in a folder that an earlier rule ignores.
      if (found.isDirectory()) return true;
      if (ignored.ignores(relative) || !(found.isFile() || found.isSymbolicLink())) return false;
      if (isSecret(name)) secrets.push(relative);
      return !isSecret(name);
    },
  });
  return { secrets: secrets.toSorted() };
}

/** Variables and credentials: other users may get the image. */
function isSecret(name: string): boolean {
  if (/\.(?:example|sample|template)$/.test(name)) return false;
  return /^\.env(?:\..*)?$/.test(name) || ['.npmrc', '.netrc', '.pypirc'].includes(name);
}

async function ignoreFile(folder: string): Promise<string> {
  try {
    return await readFile(path.join(folder, '.dockerignore'), 'utf8');
  } catch {
    return '';
  }
}
