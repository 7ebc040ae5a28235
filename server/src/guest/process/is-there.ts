import { access } from 'node:fs/promises';

/** True when the file or folder is there. */
export async function isThere(file: string): Promise<boolean> {
  return await access(file).then(
    () => true,
    () => false,
  );
}
