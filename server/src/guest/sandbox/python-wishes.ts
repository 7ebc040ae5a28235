import { readFile, realpath } from 'node:fs/promises';
import path from 'node:path';

import { ServiceError } from '../../errors/service-error.ts';
import { textOfFile } from '../../files/regular-file.ts';
import type { GuestProgram, Mount } from '../guest-program.ts';
import { isThere } from '../is-there.ts';
import { isFolder } from '../packages/missing-packages.ts';
import { inside } from './inside.ts';
import { areAllPlain } from './plain-requirements.ts';
import type { Wish } from './installed-packages.ts';
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
  for (const entry of dependencies.length > 0 ? dependencies : ['.']) {
    if (entry.startsWith('-')) throw problem(`"${entry}" is an option of pip, not a package.`);
    const folder = path.resolve(sourceDir, entry);
    if (!isFolder(entry)) found.packages.push(entry);
    else if (readInto(decidedBy, folder, projectFiles)) {
      readInto(decidedBy, folder, ['uv.lock']);
      found.projects.push(folder);
    } else if (await isThere(path.join(folder, 'requirements.txt'))) {
      found.files.push(path.join(folder, 'requirements.txt'));
      decidedBy.push(...(await requirementTexts(path.join(folder, 'requirements.txt'), places)));
    }
  }
  const { packages, files, projects } = found;
  if (packages.length + files.length + projects.length === 0) return undefined;
  // What builds and local paths install is decided by more than these texts: nobody else gets it.
  const isShared = projects.length === 0 && areAllPlain([...packages, ...decidedBy]);
  const seen = (place: string): string => {
    const there = places.inside(place);
    if (there === undefined)
      throw problem(`${path.basename(place)} is not in the agents' folders.`);
    return there;
  };
  return {
    title: "The agents' Python packages",
    decidedBy: [...(isShared ? [] : [`of ${sourceDir}`]), ...packages, ...decidedBy],
    program: installer({ packages, files: files.map(seen), projects: projects.map(seen) }),
    workingDirectory: seen(sourceDir),
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
function readInto(texts: string[], folder: string, names: readonly string[]): boolean {
  const found = names.map((name) => textOfFile(path.join(folder, name)));
  const there = found.filter((text) => text !== undefined);
  texts.push(...there);
  return there.length > 0;
}

/** Of a requirements file and those that it names with -r and -c, as far as the sandbox sees them. */
async function requirementTexts(
  file: string,
  places: SourcePlaces,
  known = new Set<string>(),
): Promise<string[]> {
  if (known.has(file)) return [];
  known.add(file);
  const real = await realpath(file).catch(() => undefined);
  const isSeen = real !== undefined && places.inside(real) !== undefined;
  const text = (isSeen ? textOfFile(real) : undefined) ?? '';
  const texts = [text];
  for (const [, name = ''] of text.matchAll(
    /^\s*(?:-r|-c|--requirement|--constraint)[ =]*(\S+)/gm,
  )) {
    texts.push(...(await requirementTexts(path.resolve(path.dirname(file), name), places, known)));
  }
  return texts;
}
