import { cp } from 'node:fs/promises';

/**
 * Copies the example agents to where their reader may edit them. A file that is there already stays: it may have been
 * edited.
 */
export async function copyExamples(from: string, to: string): Promise<string> {
  await cp(from, to, { recursive: true, force: false, errorOnExist: false });
  return to;
}
