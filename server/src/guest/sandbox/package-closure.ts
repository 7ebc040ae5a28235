import { createHash } from 'node:crypto';
import {
  chmod,
  cp,
  mkdir,
  mkdtemp,
  readFile,
  realpath,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';

import { isObject } from '../../model/json.ts';
import { isThere } from '../process/executable.ts';

/** An installed package, and the path of its copy. */
interface Found {
  /** Real path of its folder. */
  from: string;
  /** Below the folder of the copies, for example `node_modules/yargs`. */
  to: string;
  version: string;
}

/**
 * A folder whose `node_modules` has only these packages and their dependencies, with a package.json for a program
 * beside it; copied at the first use. `from` is a file that imports them. So a guest in a sandbox sees only the
 * packages of its own program.
 */
export async function packageClosure(
  names: readonly string[],
  from: string,
  cacheDir: string,
): Promise<string> {
  const found = new Map<string, Found>();
  for (const name of names) await collect(name, path.dirname(from), '', found);
  const packages = [...found.values()];
  const listed = packages.map(({ to, version }) => `${to}@${version}`).toSorted();
  const hash = createHash('sha256').update(listed.join('\n')).digest('hex').slice(0, 16);
  const parent = path.join(cacheDir, 'guest-node-modules');
  const target = path.join(parent, hash);
  if (await isThere(target)) return target;
  await mkdir(parent, { recursive: true });
  // The target appears only when complete: other services may do the same, or this process may be killed.
  const unfinished = await mkdtemp(path.join(parent, 'unfinished-'));
  try {
    for (const one of packages) await copyPackage(one, unfinished);
    await writeFile(path.join(unfinished, 'package.json'), '{"type": "module"}\n');
    await chmod(unfinished, 0o755); // readable for any user that the guest runs as
    await rename(unfinished, target);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    if (!(await isThere(target))) throw error;
  }
  return target;
}

/** Adds a package and its dependencies; nested if another package has the same name at the top level. */
async function collect(
  name: string,
  importer: string,
  importerPath: string,
  found: Map<string, Found>,
  isOptional = false,
): Promise<void> {
  const from = await packageFolder(name, importer);
  if (from === undefined) {
    if (isOptional) return; // of another platform, say
    throw new Error(`The package ${name} of the service is not installed.`);
  }
  const onTop = path.posix.join('node_modules', name);
  if (found.get(onTop)?.from === from) return;
  const to = found.has(onTop) ? path.posix.join(importerPath, 'node_modules', name) : onTop;
  if (found.get(to)?.from === from) return;
  const manifest: unknown = JSON.parse(await readFile(path.join(from, 'package.json'), 'utf8'));
  const { version, dependencies, optionalDependencies } = isObject(manifest) ? manifest : {};
  found.set(to, { from, to, version: String(version) });
  const optional = isObject(optionalDependencies) ? optionalDependencies : {};
  const all = { ...(isObject(dependencies) ? dependencies : {}), ...optional };
  for (const needed of Object.keys(all)) await collect(needed, from, to, found, needed in optional);
}

/** The folder in which Node finds it. Not `require.resolve`: most packages do not export their package.json. */
async function packageFolder(name: string, importer: string): Promise<string | undefined> {
  for (let folder = importer; ; folder = path.dirname(folder)) {
    const candidate = path.join(folder, 'node_modules', name);
    if (await isThere(path.join(candidate, 'package.json'))) return await realpath(candidate);
    if (folder === path.dirname(folder)) return undefined;
  }
}

async function copyPackage({ from, to }: Found, folder: string): Promise<void> {
  const nested = path.join(from, 'node_modules');
  await cp(from, path.join(folder, to), {
    recursive: true,
    // A nested package is copied separately, or not needed.
    filter: (source) => source !== nested,
  });
}
