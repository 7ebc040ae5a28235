import { app } from 'electron';
import type { DesktopSettings, UpdateView } from '../ipc/contract.ts';

/**
 * Checks for a new version and downloads it for the next quit. Without a feed in the settings the updater is not even
 * loaded: the desktop makes no connection by itself.
 */
export async function checkForUpdates(settings: DesktopSettings): Promise<UpdateView> {
  const { updateFeed, updateChannel } = settings;
  if (updateFeed === null) {
    return { state: 'off', message: 'No update feed is set, so there is no check for updates.' };
  }
  if (!app.isPackaged) {
    return { state: 'off', message: 'Only an installed version can be updated.' };
  }
  try {
    const { default: updater } = await import('electron-updater');
    const { autoUpdater } = updater;
    autoUpdater.autoDownload = true;
    autoUpdater.autoInstallOnAppQuit = true;
    autoUpdater.disableWebInstaller = true;
    autoUpdater.setFeedURL({ provider: 'generic', url: updateFeed, channel: updateChannel });
    const found = await autoUpdater.checkForUpdates();
    if (!found?.isUpdateAvailable) return { state: 'none' };
    const { version } = found.updateInfo;
    await found.downloadPromise;
    return { state: 'downloaded', version, message: 'It is installed when the app is quit.' };
  } catch (error) {
    return { state: 'failed', message: error instanceof Error ? error.message : String(error) };
  }
}
