// The boot list: one step a line, in the order they must happen.
import path from 'node:path';
import { app, type BrowserWindow, dialog, nativeTheme } from 'electron';
import { folderOf } from './command-line.ts';
import { openDesktop } from './desktop.ts';
import { findInstallation } from './installation.ts';
import { handleRequests } from './ipc.ts';
import { forwardNotices } from './notices.ts';
import { pageSource } from './page-source.ts';
import { settleBeforeClose, stopBeforeQuit } from './quitting.ts';
import { openSettings } from './settings.ts';
import { isOwnPage, registerStudioScheme, serveStudio, studioOrigin } from './studio-protocol.ts';
import { createMainWindow, denyForeignContent, focusWindow } from './windows.ts';

const built = path.resolve(import.meta.dirname, '..');
const devServer = process.env['VITE_DEV_SERVER_URL']; // set by `npm run dev`
const hasOwnLicense = ['SERVICE_LICENSE_KEY', 'SERVICE_LICENSE_KEY_FILE'].some(
  (name) => process.env[name] !== undefined,
);
const profile = app.getPath('userData');

async function boot(): Promise<void> {
  denyForeignContent(); // before the first page exists
  const { isPackaged } = app;
  const installation = findInstallation({ isPackaged, resources: process.resourcesPath, built });
  nativeTheme.themeSource = openSettings(profile).read().theme; // before the window, or it flashes
  const window = createMainWindow({ preload: path.join(built, 'preload/index.cjs'), profile });
  const desktop = openDesktop({ profile, built, installation, hasOwnLicense, window });
  stopBeforeQuit(() => desktop.control.stop()); // before anything can be started
  settleBeforeClose(window, desktop.settling.settle);
  const page = pageSource({ isPackaged, devServer, folder: path.join(built, 'renderer') });
  serveStudio(page, () => desktop.control.target);
  handleRequests(desktop.handlers, { isOwnPage, onError: desktop.logs.fail });
  forwardNotices(desktop, window);

  function openNamed(words: readonly string[], workingDir: string): boolean {
    const folder = folderOf(words, { workingDir, appPath: app.getAppPath() });
    if (folder !== undefined) void desktop.openFolder(folder);
    return folder !== undefined;
  }
  app.on('second-instance', (_event, words, workingDir) => {
    focusWindow(window);
    openNamed(words, workingDir);
  });
  if (!openNamed(process.argv, process.cwd())) void desktop.reopenLast();
  await showPage(window);
  await desktop.lookForUpdates(); // only where a feed is set
}

async function showPage(window: BrowserWindow): Promise<void> {
  window.once('ready-to-show', () => window.show());
  await window.loadURL(`${studioOrigin}/`);
}

if (app.requestSingleInstanceLock()) {
  registerStudioScheme(); // Electron accepts schemes only before it is ready
  // Not awaited at the top level: Electron becomes ready only after this module has been evaluated.
  app
    .whenReady()
    .then(boot)
    .catch((error: unknown) => {
      dialog.showErrorBox('Agent Runtime cannot start', String(error));
      app.exit(1);
    });
} else {
  app.quit(); // the instance that runs gets this one's command line
}
