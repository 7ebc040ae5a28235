import type { BrowserWindow } from 'electron';
import type { DesktopParts } from './desktop.ts';
import { tell } from './ipc.ts';
import { showMenu } from './menu.ts';

/** Keeps window and menu up to date with what happens. */
export function passOn({ control, logs, recent, ...desktop }: DesktopParts, window: BrowserWindow) {
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
    go: (command: Parameters<typeof tell<'app:command'>>[2]) => tell(page, 'app:command', command),
  };
  const renewMenu = (): void =>
    showMenu(actions, {
      recent: recent.list().flatMap(({ path, exists }) => (exists ? [path] : [])),
      hasService: control.view.folder !== undefined,
    });
  control.onChange((view) => tell(page, 'service:changed', view));
  control.onChange(renewMenu);
  logs.onLines((lines) => tell(page, 'logs:lines', lines));
  renewMenu();
}
