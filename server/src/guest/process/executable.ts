import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import path from 'node:path';

/** True when the file exists and may be executed. */
export async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}

/** The first executable of that name on the PATH of this environment. */
export async function findOnPath(
  name: string,
  environment: Record<string, string>,
): Promise<string | undefined> {
  const endings = process.platform === 'win32' ? ['.exe', '.cmd', ''] : [''];
  for (const directory of (environment['PATH'] ?? '').split(path.delimiter)) {
    if (directory === '') continue;
    for (const ending of endings) {
      const file = path.join(directory, name + ending);
      if (await isExecutable(file)) return file;
    }
  }
  return undefined;
}

/** The path of a virtual environment's Python. */
export function pythonOf(environmentDirectory: string): string {
  return process.platform === 'win32'
    ? path.join(environmentDirectory, 'Scripts', 'python.exe')
    : path.join(environmentDirectory, 'bin', 'python');
}

/** True when the file or folder exists. */
export async function isThere(file: string): Promise<boolean> {
  return await access(file).then(
    () => true,
    () => false,
  );
}
