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
import type { SourcePlaces } from './source-places.ts';

const projectFiles = ['pyproject.toml', 'setup.py', 'setup.cfg'];

type PythonWish = Omit<Wish, 'index'>;

/** What the guest's own program needs, from its requirements.txt. */
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
  places: SourcePlaces;
  guestMount: Mount;
}

/**
 * What the agents need, as LangGraph's own builds take `dependencies`: of a folder with a project its dependencies, of
 * one with requirements.txt these; anything else is a requirement. Nothing where nothing is named: the image has it.
 */
export async function agentPackagesWish(sources: PythonSources): Promise<PythonWish | undefined> {
  const { sourceDir, dependencies, places, guestMount } = sources;
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
  const owned = isShared ? [] : await ownedBy(sourceDir, places, { isCodeInstalled });
  const seen = (place: string): string => {
    const there = places.inside(place);
    if (there === undefined)
      throw problem(`${path.basename(place)} is not in the agents' folders.`);
    return there;
  };
  return {
    title: "The agents' Python packages",
    decidedBy: [...packages, ...decidedBy, ...owned],
    program: installer({ packages, files: files.map(seen), projects: projects.map(seen) }),
    // A path relative to it is found only where the packages are this folder's alone.
    workingDirectory: isShared ? '/' : seen(sourceDir),
    mounts: [guestMount, ...places.mounts],
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

/** The texts of those files that are there; true when one is. */
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

/** Of a requirements file and those that it names with -r and -c. */
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
