import path from 'node:path';

import type { Mount } from '../pool/guest-program.ts';

/** The paths of the agents' folders in a sandbox. */
export interface SourcePaths {
  readonly mounts: readonly Mount[];
  /** A path of this machine in or below one of the folders, as a guest sees it; `undefined` for any other. */
  inside(hostPath: string): string | undefined;
}

export const ALONE = '/agent';
const TOGETHER = '/agents';

/** The agents are in the image, at `/agent`; `folder` is the service's copy of them. */
export function sourcePathsInImage(folder: string): SourcePaths {
  return {
    mounts: [],
    inside: (hostPath) =>
      hostPath === folder || contains(folder, hostPath)
        ? path.posix.join(ALONE, path.relative(folder, hostPath))
        : undefined,
  };
}

/**
 * One folder is `/agent`; several keep their relative paths, below `/agents`, so that `../shared` of a manifest means
 * the same. A folder within another is mounted with it. Folders above them are not visible.
 */
export function sourcePathsOf(folders: readonly string[]): SourcePaths {
  const outer = folders.filter(
    (folder, at) =>
      !folders.some((other, index) => (folder === other ? index < at : contains(other, folder))),
  );
  const parent = commonParent(outer);
  const inParent = (hostPath: string): string =>
    path.posix.join(outer.length > 1 ? TOGETHER : ALONE, path.relative(parent, hostPath));
  return {
    mounts: outer.map((from) => ({ from, to: inParent(from) })),
    inside: (hostPath) =>
      outer.some((folder) => folder === hostPath || contains(folder, hostPath))
        ? inParent(hostPath)
        : undefined,
  };
}

function contains(folder: string, other: string): boolean {
  const below = path.relative(folder, other);
  return below !== '' && below.split(path.sep)[0] !== '..' && !path.isAbsolute(below);
}

function commonParent([first = '/', ...others]: readonly string[]): string {
  let parent = first;
  while (!others.every((folder) => folder === parent || contains(parent, folder))) {
    parent = path.dirname(parent);
  }
  return parent;
}
