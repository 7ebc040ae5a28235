import path from 'node:path';
import { textOfFile } from '../../files/regular-file.ts';
import type { GuestLanguage } from '../pool/guest-program.ts';

/** The input of the search for an agent folder's missing packages. */
export interface PackagesQuestion {
  /** The agent folder, absolute. */
  sourceDir: string;
  /** The agents, in the manifest's order. */
  agents: readonly { path: string; language: GuestLanguage }[];
  /** The manifest's `dependencies`; empty: the folder itself. */
  dependencies: readonly string[];
  /** Further folders of the agents' projects, absolute: one of them may have the environment. */
  projectDirs?: readonly string[];
  /** The manifest's `python_version`. */
  pythonVersion?: string;
  /** The value of `--interpreter`. */
  interpreter?: string;
  /** The environment in which commands are found and run: the user's, without the agents' secrets. */
  environment: Record<string, string>;
  signal: AbortSignal;
}

/** Packages that an agent folder names and that are not installed. */
export interface MissingPackages {
  language: GuestLanguage;
  /** The working directory of the commands, absolute. */
  directory: string;
  /** One sentence: what names the packages, and what is missing. */
  because: string;
  /** The commands that install them, in order. Empty: see `needs`. */
  commands: readonly (readonly string[])[];
  /** One sentence: why there is no command. */
  needs?: string;
}

/**
 * A file that exists while packages are being installed, with the id of the process; a leftover one means that the
 * installation was interrupted.
 */
export function markerOf(directory: string, language: GuestLanguage): string {
  return path.join(directory, `.agent-runtime-installing-${language}`);
}

/** The commands as a person would type them in the directory. */
export function shownCommands({ commands, directory }: MissingPackages): string {
  const shown = (word: string): string => {
    if (word === directory) return '.';
    const inside = word.startsWith(directory + path.sep) ? path.relative(directory, word) : word;
    const isBelow = path.isAbsolute(inside) ? path.basename(inside) : inside;
    return /[\s<>&|;*?$()]/.test(isBelow) ? JSON.stringify(isBelow) : isBelow;
  };
  return commands.map((command) => command.map(shown).join(' ')).join(' && ');
}

/** The file's text; undefined when it cannot be read, is no regular file or is too large. */
export function textOf(file: string): Promise<string | undefined> {
  return Promise.resolve(textOfFile(file));
}

/** Whether an entry of `dependencies` names a folder, and no package. */
export function isFolder(dependency: string): boolean {
  return dependency.startsWith('.') || path.isAbsolute(dependency);
}
