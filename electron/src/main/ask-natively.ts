import { type BrowserWindow, dialog } from 'electron';
import type { Ask } from './confirmations.ts';

/** Asks over a window with the system's dialog; without an answer nothing is confirmed. */
export function askOver(window: BrowserWindow): Ask {
  return async ({ message, detail, confirm }) => {
    const { response } = await dialog.showMessageBox(window, {
      type: 'question',
      message,
      detail,
      buttons: [confirm, 'Cancel'],
      defaultId: 1,
      cancelId: 1,
      noLink: true,
    });
    return response === 0;
  };
}

/** Asks for a program in the system's dialog; undefined when it is cancelled. */
export async function pickProgram(window: BrowserWindow): Promise<string | undefined> {
  const picked = await dialog.showOpenDialog(window, {
    title: 'Choose the Python or Node that runs the agents',
    buttonLabel: 'Use this program',
    // Hidden: those of a .venv. No alias is resolved: the link of a .venv is what makes it one.
    properties: ['openFile', 'showHiddenFiles', 'noResolveAliases'],
  });
  return picked.canceled ? undefined : picked.filePaths[0];
}
