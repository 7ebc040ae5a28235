import { type BrowserWindow, dialog } from 'electron';
import type { UpdateView } from '../ipc/contract.ts';
import type { DesktopParts } from './desktop.ts';
import { notify } from './ipc.ts';
import { showMenu } from './menu.ts';

/** Keeps window and menu up to date with changes. */
export function forwardNotices(
  { control, logs, recent, debugging, ...desktop }: DesktopParts,
  window: BrowserWindow,
) {
  const page = window.webContents;
  const openChosen = async (): Promise<void> => {
    const folder = await desktop.chooseFolder();
    if (folder !== null) await desktop.openFolder(folder);
  };
  const actions = {
    openFolder: () => void openChosen(),
    openRecent: (folder: string) => void desktop.openFolder(folder),
    restartService: () => void control.restart(),
    stopService: () => void control.stop(),
    lookForUpdates: () => void showUpdates(desktop.lookForUpdates, window),
    go: (command: Parameters<typeof notify<'app:command'>>[2]) =>
      notify(page, 'app:command', command),
  };
  const renewMenu = (): void =>
    showMenu(actions, {
      recent: recent.list().flatMap(({ path, exists }) => (exists ? [path] : [])),
      hasService: control.view.folder !== undefined,
    });
  control.onChange((view) => notify(page, 'service:changed', view));
  control.onChange(renewMenu);
  debugging.onChange((view) => notify(page, 'debugging:changed', view));
  logs.onLines((lines) => notify(page, 'logs:lines', lines));
  renewMenu();
}

/** Shows the result of a check for updates that was started from the menu. */
async function showUpdates(
  lookForUpdates: () => Promise<UpdateView>,
  window: BrowserWindow,
): Promise<void> {
  const { state, version, message } = await lookForUpdates();
  const text = {
    off: 'Checks for updates are off',
    none: 'This is the newest version',
    downloaded: `Version ${version} is ready`,
    failed: 'The feed of new versions could not be read',
  }[state];
  await dialog.showMessageBox(window, {
    message: text,
    ...(message !== undefined && { detail: message }),
  });
}
