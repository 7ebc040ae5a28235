import { readFile } from 'node:fs/promises';
import path from 'node:path';

import { ServiceError } from '../../errors/service-error.ts';
import type { GuestProgram, Mount } from '../pool/guest-program.ts';
import { isThere } from '../process/executable.ts';
import { isFolder, textOf } from '../packages/missing-packages.ts';
import { inside } from './inside.ts';
import type { Wish } from './installed-packages.ts';
import { areOfRegistries, isOfRegistries } from './local-sources.ts';
import { ownedBy } from './owned-packages.ts';
import type { SourcePaths } from './source-paths.ts';

const projectFiles = ['pyproject.toml', 'setup.py', 'setup.cfg'];

type PythonWish = Omit<Wish, 'index'>;

/** The packages of the guest's own program, from its requirements.txt. */
export async function guestLibsWish(guestMount: Mount): Promise<PythonWish> {
  const name = 'requirements.txt';
  return {
    title: "The Python guest's packages",
    decidedBy: [await readFile(path.join(guestMount.from, name), 'utf8')],
    program: installer({ files: [path.posix.join(guestMount.to, name)] }),
    workingDirectory: '/',
    mounts: [guestMount],
  };
}

export interface PythonSources {
  /** Absolute, of this machine. */
  sourceDir: string;
  /** The manifest's `dependencies`; empty: the folder itself. */
  dependencies: readonly string[];
  sourcePaths: SourcePaths;
  guestMount: Mount;
}

/**
 * The packages that the agents need, from `dependencies` as in LangGraph's own builds: for a folder with a project its
 * dependencies, for one with requirements.txt those; any other entry is a requirement. Undefined if none is named: then
 * the image has them.
 */
export async function agentPackagesWish(sources: PythonSources): Promise<PythonWish | undefined> {
  const { sourceDir, dependencies, sourcePaths, guestMount } = sources;
  const found = { packages: [] as string[], files: [] as string[], projects: [] as string[] };
  const decidedBy: string[] = [];
  let isBuilt = false;
  let isCodeInstalled = false;
  for (const entry of dependencies.length > 0 ? dependencies : ['.']) {
    if (entry.startsWith('-')) throw problem(`"${entry}" is an option of pip, not a package.`);
    const folder = path.resolve(sourceDir, entry);
    if (!isFolder(entry)) {
      found.packages.push(entry);
      isCodeInstalled ||= !areOfRegistries(entry);
    } else if (await readInto(decidedBy, folder, projectFiles)) {
      await readInto(decidedBy, folder, ['uv.lock']);
      const [project, lock] = await Promise.all(
        ['pyproject.toml', 'uv.lock'].map((name) => textOf(path.join(folder, name))),
      );
      isBuilt ||= !isOfRegistries(project, lock);
      found.projects.push(folder);
    } else if (await isThere(path.join(folder, 'requirements.txt'))) {
      found.files.push(path.join(folder, 'requirements.txt'));
      const texts = await requirementTexts(path.join(folder, 'requirements.txt'));
      decidedBy.push(...texts);
      isCodeInstalled ||= !texts.every(areOfRegistries);
    }
  }
  const { packages, files, projects } = found;
  if (packages.length + files.length + projects.length === 0) return undefined;
  const isShared = !isBuilt && !isCodeInstalled;
  const owned = isShared ? [] : await ownedBy(sourceDir, sourcePaths, { isCodeInstalled });
  const seen = (target: string): string => {
    const there = sourcePaths.inside(target);
    if (there === undefined)
      throw problem(`${path.basename(target)} is not in the agents' folders.`);
    return there;
  };
  return {
    title: "The agents' Python packages",
    decidedBy: [...packages, ...decidedBy, ...owned],
    program: installer({ packages, files: files.map(seen), projects: projects.map(seen) }),
    // Relative paths are allowed only if the packages belong to this folder alone.
    workingDirectory: isShared ? '/' : seen(sourceDir),
    mounts: [guestMount, ...sourcePaths.mounts],
  };
}

function installer(
  config: Record<string, unknown>,
): Pick<GuestProgram, 'language' | 'command' | 'args' | 'config'> {
  const script = path.posix.join(inside.pythonGuest, 'install_packages.py');
  return { language: 'python', command: 'python3', args: [script], config };
}

function problem(reason: string): ServiceError {
  return new ServiceError('guest_unavailable', `dependencies: ${reason}`);
}

/** Adds the texts of the existing files; true when there is at least one. */
async function readInto(
  texts: string[],
  folder: string,
  names: readonly string[],
): Promise<boolean> {
  const found = await Promise.all(names.map((name) => textOf(path.join(folder, name))));
  const there = found.filter((text) => text !== undefined);
  texts.push(...there);
  return there.length > 0;
}

/** The texts of a requirements file and of those that it includes with -r and -c. */
async function requirementTexts(file: string, known = new Set<string>()): Promise<string[]> {
  if (known.has(file)) return [];
  known.add(file);
  const text = (await textOf(file)) ?? '';
  const texts = [text];
  for (const [, name = ''] of text.matchAll(
    /^\s*(?:-r|-c|--requirement|--constraint)[ =]*(\S+)/gm,
  )) {
    texts.push(...(await requirementTexts(path.resolve(path.dirname(file), name), known)));
  }
  return texts;
}
