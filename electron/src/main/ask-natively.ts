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
