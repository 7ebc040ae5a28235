import { statSync } from 'node:fs';
import path from 'node:path';

/** The first folder that a command line names, the application's own left out. */
export function folderOf(
  words: readonly string[],
  { workingDir, appPath }: { workingDir: string; appPath: string },
): string | undefined {
  return words
    .slice(1) // the program itself
    .filter((word) => !word.startsWith('-'))
    .map((word) => path.resolve(workingDir, word))
    .find((place) => place !== path.resolve(appPath) && isFolder(place));
}

function isFolder(place: string): boolean {
  return statSync(place, { throwIfNoEntry: false })?.isDirectory() === true;
}
