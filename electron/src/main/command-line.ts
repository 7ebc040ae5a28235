import { statSync } from 'node:fs';
import path from 'node:path';

/** The first folder that a command line names, except the application's own. */
export function folderOf(
  words: readonly string[],
  { workingDir, appPath }: { workingDir: string; appPath: string },
): string | undefined {
  return words
    .slice(1) // the program itself
    .filter((word) => !word.startsWith('-'))
    .map((word) => path.resolve(workingDir, word))
    .find((file) => file !== path.resolve(appPath) && isFolder(file));
}

function isFolder(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isDirectory() === true;
}
