import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { isObject } from '../../model/json.ts';
import type { GuestAgent, Mount } from '../pool/guest-program.ts';
import { textOf } from '../packages/missing-packages.ts';
import { inside } from './inside.ts';
import type { Wish } from './installed-packages.ts';
import { areOfNpmRegistries } from './local-sources.ts';
import { ownedBy } from './owned-packages.ts';
import type { SourcePaths } from './source-paths.ts';

/** The files that npm reads in the folder of a package.json. */
const decidingFiles = ['package.json', 'package-lock.json', 'npm-shrinkwrap.json', '.npmrc'];

export interface JavascriptSources {
  /** Absolute, of this machine. */
  sourceDir: string;
  agents: readonly Pick<GuestAgent, 'path'>[];
  sourcePaths: SourcePaths;
  mounts: readonly Mount[];
  /** The extension that the guest's own files have. */
  extension: string;
  /** Ignore the `node_modules` of the agents' folders. */
  isFresh: boolean;
}

/**
 * The packages that the agents need, from the package.json above each of them. Undefined if the node_modules of the
 * agents' folders have all of them, or if none is named: then the image has them.
 */
export async function javascriptWish(
  sources: JavascriptSources,
): Promise<Omit<Wish, 'index'> | undefined> {
  const { sourceDir, agents, sourcePaths, mounts, extension, isFresh } = sources;
  const isMissing = async (folder: string): Promise<boolean> =>
    isFresh ? (await namesOf(folder)).length > 0 : !(await hasAll(folder, sourcePaths));
  const folders = new Set<string>();
  for (const { path: filePath } of agents) {
    const file = path.resolve(sourceDir, filePath.slice(0, filePath.lastIndexOf(':')));
    const folder = await projectOf(path.dirname(file), sourcePaths);
    if (folder !== undefined && (await isMissing(folder))) folders.add(folder);
  }
  if (folders.size === 0) return undefined;
  const all = [...folders].toSorted();
  const files = all.flatMap((folder) => decidingFiles.map((name) => path.join(folder, name)));
  const texts = await Promise.all(files.map(async (file) => (await textOf(file)) ?? ''));
  const isRc = (at: number): boolean => files[at]?.endsWith('.npmrc') === true;
  const isShared = areOfNpmRegistries(
    texts.filter((_, at) => !isRc(at)),
    texts.filter((_, at) => isRc(at)),
  );
  const script = path.posix.join(inside.javascriptGuest, `install-packages${extension}`);
  return {
    title: "The agents' JavaScript packages",
    decidedBy: [
      ...texts,
      ...(isShared ? [] : await ownedBy(sourceDir, sourcePaths, { isCodeInstalled: false })),
    ],
    program: {
      language: 'javascript',
      command: 'node',
      args: ['--disable-warning=ExperimentalWarning', script],
      config: { folders: all.map((folder) => sourcePaths.inside(folder)) },
    },
    workingDirectory: '/',
    mounted: 'node_modules',
    mounts: [...mounts, ...sourcePaths.mounts],
  };
}

/** The nearest folder upwards with a package.json, within the folders that guests see. */
async function projectOf(from: string, sourcePaths: SourcePaths): Promise<string | undefined> {
  for (let folder = from; sourcePaths.inside(folder) !== undefined; folder = path.dirname(folder)) {
    if ((await textOf(path.join(folder, 'package.json'))) !== undefined) return folder;
  }
  return undefined;
}

async function hasAll(folder: string, sourcePaths: SourcePaths): Promise<boolean> {
  const names = await namesOf(folder);
  const found = await Promise.all(names.map((name) => isSeen(name, folder, sourcePaths)));
  return found.every(Boolean);
}

async function namesOf(folder: string): Promise<string[]> {
  return dependencyNames(await textOf(path.join(folder, 'package.json')));
}

/** Whether a guest would find the package: a link out of the agents' folders is broken in the sandbox. */
async function isSeen(name: string, from: string, sourcePaths: SourcePaths): Promise<boolean> {
  for (let folder = from; sourcePaths.inside(folder) !== undefined; folder = path.dirname(folder)) {
    const real = await realpath(path.join(folder, 'node_modules', name)).catch(() => undefined);
    if (real !== undefined) return sourcePaths.inside(real) !== undefined;
  }
  return false;
}

function dependencyNames(text: string | undefined): string[] {
  try {
    const { dependencies } = JSON.parse(text ?? '{}') as { dependencies?: unknown }; // package.json
    return isObject(dependencies) ? Object.keys(dependencies) : [];
  } catch {
    return []; // Node reports what is wrong with it
  }
}
