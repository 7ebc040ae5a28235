import path from 'node:path';
import { isObject } from '../../model/json.ts';
import { findOnPath, isThere } from '../process/executable.ts';
import {
  isFolder,
  markerOf,
  type MissingPackages,
  type PackagesQuestion,
  textOf,
} from './missing-packages.ts';

type Manager = 'npm' | 'pnpm' | 'yarn';

const locks: readonly (readonly [string, Manager])[] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['package-lock.json', 'npm'],
  ['npm-shrinkwrap.json', 'npm'],
];

/** The missing packages of each package.json of the agents: those that no node_modules folder above it has. */
export async function javascriptPackages(question: PackagesQuestion): Promise<MissingPackages[]> {
  const folders = new Set<string>();
  for (const { path: filePath, language } of question.agents) {
    if (language !== 'javascript') continue;
    const file = path.resolve(question.sourceDir, filePath.slice(0, filePath.lastIndexOf(':')));
    const start = path.dirname(file);
    const folder = await nearest(start, topOf(start, question), (directory) =>
      isThere(path.join(directory, 'package.json')),
    );
    if (folder !== undefined) folders.add(folder);
  }
  const found: MissingPackages[] = [];
  for (const folder of folders) {
    const missing = await missingIn(folder, question);
    const isKnown = found.some(({ directory }) => directory === missing?.directory);
    if (missing !== undefined && !isKnown) found.push(missing);
  }
  return found;
}

/** The manifest's folder that contains this one: folders above it are not the agents'. */
function topOf(folder: string, { sourceDir, dependencies }: PackagesQuestion): string {
  const named = dependencies.filter(isFolder).map((name) => path.resolve(sourceDir, name));
  const isAbove = (top: string): boolean => `${folder}${path.sep}`.startsWith(top + path.sep);
  return [sourceDir, ...named].find(isAbove) ?? folder;
}

async function missingIn(
  folder: string,
  question: PackagesQuestion,
): Promise<MissingPackages | undefined> {
  const { directory, manager, isLocked } = await managerOf(folder, topOf(folder, question));
  const name = await firstMissing(folder);
  const isCutOff = await isThere(markerOf(directory, 'javascript'));
  if (name === undefined && !isCutOff) return undefined;
  const because = isCutOff
    ? 'The installation of the JavaScript packages was cut off.'
    : `${path.relative(question.sourceDir, path.join(folder, 'package.json'))} names ${name}, which is not installed.`;
  const missing = { language: 'javascript', directory, because } as const;
  const command = await findManager(manager, question.environment);
  if (command === undefined) {
    const needs = `${manager} is not on PATH: install it${manager === 'npm' ? ' with Node.' : ` (npm install --global ${manager}).`}`;
    return { ...missing, commands: [], needs };
  }
  return { ...missing, commands: [[...command, ...(await wordsOf(manager, directory, isLocked))]] };
}

/** The first package of `dependencies` that Node would not find. Yarn's Plug'n'Play has no node_modules to check. */
async function firstMissing(folder: string): Promise<string | undefined> {
  const names = dependencyNames(await textOf(path.join(folder, 'package.json')));
  for (const name of names) {
    const isInstalled = async (directory: string): Promise<boolean> =>
      (await isThere(path.join(directory, 'node_modules', name))) ||
      (await isThere(path.join(directory, '.pnp.cjs')));
    if ((await nearest(folder, path.parse(folder).root, isInstalled)) === undefined) return name;
  }
  return undefined;
}

function dependencyNames(text: string | undefined): string[] {
  try {
    const { dependencies } = JSON.parse(text ?? '{}') as { dependencies?: unknown }; // package.json
    return isObject(dependencies) ? Object.keys(dependencies) : [];
  } catch {
    return []; // the package manager and Node report what is wrong with it
  }
}

/** The package manager of the nearest lock file; in a workspace that is in the root folder. */
async function managerOf(
  folder: string,
  top: string,
): Promise<{ directory: string; manager: Manager; isLocked: boolean }> {
  for (const [file, manager] of locks) {
    const directory = await nearest(folder, top, (parent) => isThere(path.join(parent, file)));
    if (directory !== undefined) return { directory, manager, isLocked: true };
  }
  const text = (await textOf(path.join(folder, 'package.json'))) ?? '';
  const named = /"packageManager"\s*:\s*"(npm|pnpm|yarn)@/.exec(text)?.[1];
  return { directory: folder, manager: (named ?? 'npm') as Manager, isLocked: false }; // as the expression lists them
}

async function findManager(
  manager: Manager,
  environment: Record<string, string>,
): Promise<string[] | undefined> {
  const command = await findOnPath(manager, environment);
  if (command !== undefined) return [command];
  const corepack = manager === 'npm' ? undefined : await findOnPath('corepack', environment);
  return corepack === undefined ? undefined : [corepack, manager];
}

async function wordsOf(manager: Manager, directory: string, isLocked: boolean): Promise<string[]> {
  if (manager === 'npm') return [isLocked ? 'ci' : 'install', '--no-audit', '--no-fund'];
  if (!isLocked) return ['install'];
  if (manager === 'pnpm') return ['install', '--frozen-lockfile'];
  const lock = (await textOf(path.join(directory, 'yarn.lock'))) ?? '';
  // Yarn 1 has no --immutable, later versions have no --frozen-lockfile.
  return ['install', /^__metadata:/m.test(lock) ? '--immutable' : '--frozen-lockfile'];
}

/** The first folder from `from` up to `last` that fits. */
async function nearest(
  from: string,
  last: string,
  fits: (directory: string) => Promise<boolean>,
): Promise<string | undefined> {
  for (let directory = from; ; directory = path.dirname(directory)) {
    if (await fits(directory)) return directory;
    if (directory === last || directory === path.dirname(directory)) return undefined;
  }
}
