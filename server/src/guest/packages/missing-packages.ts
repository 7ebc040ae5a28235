import path from 'node:path';
import { textOfFile } from '../../files/regular-file.ts';
import type { GuestLanguage } from '../pool/guest-program.ts';

/** What is asked about an agent folder's packages. */
export interface PackagesQuestion {
  /** The agent folder, absolute. */
  sourceDir: string;
  /** Of the agents, in the manifest's order. */
  agents: readonly { path: string; language: GuestLanguage }[];
  /** The manifest's `dependencies`; empty: the folder itself. */
  dependencies: readonly string[];
  /** Folders of the agents' projects besides, absolute: one of them may have the environment. */
  projectDirs?: readonly string[];
  /** The manifest's `python_version`. */
  pythonVersion?: string;
  /** What `--interpreter` says. */
  interpreter?: string;
  /** Where commands are looked for, and what they are run with: the user's, without the agents' secrets. */
  environment: Record<string, string>;
  signal: AbortSignal;
}

/** Packages that an agent folder names and nobody has installed. */
export interface MissingPackages {
  language: GuestLanguage;
  /** Where the commands run, absolute. */
  directory: string;
  /** One sentence: what is there, and what is not. */
  because: string;
  /** What installs them, one after the other. Empty: see `needs`. */
  commands: readonly (readonly string[])[];
  /** One sentence: why there is no command. */
  needs?: string;
}

/**
 * A file that is there while packages are being installed, with the id of the process; one that was left behind says that
 * the installation was cut off.
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

/** The file's text; undefined when it cannot be read, is no regular file or too large for one. */
export function textOf(file: string): Promise<string | undefined> {
  return Promise.resolve(textOfFile(file));
}

/** Whether an entry of `dependencies` names a folder, and no package. */
export function isFolder(dependency: string): boolean {
  return dependency.startsWith('.') || path.isAbsolute(dependency);
}
