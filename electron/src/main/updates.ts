import { app } from 'electron';
import type { DesktopSettings, UpdateView } from '../ipc/contract.ts';

/**
 * Looks for a new version and has it ready for the next quit. Without a feed in the settings nothing is even loaded:
 * the desktop connects to nobody by itself.
 */
export async function checkForUpdates(settings: DesktopSettings): Promise<UpdateView> {
  const { updateFeed, updateChannel } = settings;
  if (updateFeed === null) {
    return { state: 'off', message: 'No update feed is set, so nothing is looked for.' };
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
