import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { shell } from 'electron';
import type { EditorPlace } from '../ipc/contract.ts';
import { DesktopFailure } from './desktop-failure.ts';

/** Opens a file, or the folder itself, in VS Code. Only what lies in the agent folder: the page shows paths that agents wrote. */
export async function openInEditor(place: EditorPlace, folder: string | undefined): Promise<void> {
  await shell.openExternal(await editorUrl(place, folder));
}

/** The address that VS Code listens to, for the folder or a file of it; rejects for any other. */
export async function editorUrl(place: EditorPlace, folder: string | undefined): Promise<string> {
  if (folder === undefined) throw new DesktopFailure('not_possible', 'No agent folder is open.');
  const file = await realFile(path.resolve(folder, place.file));
  const inside = path.relative(await realFile(folder), file);
  if (inside.startsWith('..') || path.isAbsolute(inside)) {
    throw new DesktopFailure('not_possible', `${place.file} is not in the agent folder.`);
  }
  const address = file.split(path.sep).map(encodeURIComponent).join('/');
  // A folder's address ends in a slash.
  if (inside === '') return `${vscodeAddress(address)}/`;
  const at = place.line === undefined ? '' : `:${place.line}:${place.column ?? 1}`;
  return `${vscodeAddress(address)}${at}`;
}

function vscodeAddress(address: string): string {
  return `vscode://file${address.startsWith('/') ? '' : '/'}${address}`;
}

async function realFile(file: string): Promise<string> {
  try {
    return await realpath(file);
  } catch (cause) {
    throw new DesktopFailure('not_possible', `There is no file ${file}.`, { cause });
  }
}
