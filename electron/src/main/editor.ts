import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { shell } from 'electron';
import type { EditorLocation } from '../ipc/contract.ts';
import { DesktopFailure } from './desktop-failure.ts';

/** Opens a file, or the folder itself, in VS Code. Only what is in the agent folder: the page shows paths that agents wrote. */
export async function openInEditor(
  location: EditorLocation,
  folder: string | undefined,
): Promise<void> {
  await shell.openExternal(await editorUrl(location, folder));
}

/** The URL that opens the folder or a file of it in VS Code; rejects for any other file. */
export async function editorUrl(
  location: EditorLocation,
  folder: string | undefined,
): Promise<string> {
  if (folder === undefined) throw new DesktopFailure('not_possible', 'No agent folder is open.');
  const file = await realFile(path.resolve(folder, location.file));
  const inside = path.relative(await realFile(folder), file);
  if (inside.startsWith('..') || path.isAbsolute(inside)) {
    throw new DesktopFailure('not_possible', `${location.file} is not in the agent folder.`);
  }
  const encoded = file.split(path.sep).map(encodeURIComponent).join('/');
  // A folder's URL ends in a slash.
  if (inside === '') return `${vscodeUrl(encoded)}/`;
  const at = location.line === undefined ? '' : `:${location.line}:${location.column ?? 1}`;
  return `${vscodeUrl(encoded)}${at}`;
}

function vscodeUrl(encoded: string): string {
  return `vscode://file${encoded.startsWith('/') ? '' : '/'}${encoded}`;
}

async function realFile(file: string): Promise<string> {
  try {
    return await realpath(file);
  } catch (cause) {
    throw new DesktopFailure('not_possible', `There is no file ${file}.`, { cause });
  }
}
