// Everything that is there once the application is ready, wired together.
import path from 'node:path';
import { app, type BrowserWindow, dialog } from 'electron';
import { DesktopFailure } from './desktop-failure.ts';
import { openBundle, saveBundle } from './bundle-files.ts';
import { examine } from './doctor.ts';
import { openInEditor } from './editor.ts';
import { watchEventLoop } from './event-loop.ts';
import type { Installation } from './installation.ts';
import type { Handlers } from './ipc.ts';
import { createLogBuffer, type LogBuffer } from './log-buffer.ts';
import { openRecentFolders, type RecentFolders } from './recent-folders.ts';
import { reachRemote } from './remote-service.ts';
import { openSecrets } from './secrets.ts';
import { ServiceControl } from './service-control.ts';
import { hostServices } from './service-host.ts';
import { openSettings } from './settings.ts';
import { checkForUpdates } from './updates.ts';

export interface DesktopParts {
  control: ServiceControl;
  logs: LogBuffer;
  recent: RecentFolders;
  handlers: Handlers;
  openFolder(folder: string): Promise<void>;
  chooseFolder(): Promise<string | null>;
}

/** Makes the parts over a profile. */
export function openDesktop(options: {
  profile: string;
  built: string;
  installation: Installation;
  /** The environment names a licence key. */
  hasOwnLicense: boolean;
  /** The parent of every dialog. */
  window: BrowserWindow;
}): DesktopParts {
  const { profile, installation, hasOwnLicense, built, window } = options;
  const settings = openSettings(profile);
  const recent = openRecentFolders(profile);
  const secrets = openSecrets(profile);
  const logs = createLogBuffer();
  const control = new ServiceControl({
    host: hostServices(path.join(built, 'main/service.js')),
    logs,
    prepare: () => ({
      ...installation,
      dataRoot: path.join(profile, 'agents'),
      settings: settings.read(),
    }),
  });
  const lookAtEventLoop = watchEventLoop();

  async function start(folder: string) {
    const absolute = path.resolve(folder);
    const view = await control.start(absolute);
    if (view.state === 'ready') recent.add(absolute);
    return view;
  }

  async function chooseFolder(): Promise<string | null> {
    const picked = await dialog.showOpenDialog(window, { properties: ['openDirectory'] });
    return picked.canceled ? null : (picked.filePaths[0] ?? null);
  }

  const notDebugging = {
    state: 'unavailable',
    message: 'Debugging is not available yet.',
  } as const;
  const handlers: Handlers = {
    'service:view': () => control.view,
    'service:start': start,
    'service:stop': () => control.stop(),
    'service:restart': () => control.restart(),
    'service:connect': async (place) => control.connect(await reachRemote(place, secrets)),
    'service:disconnect': () => control.stop(),
    'folders:choose': chooseFolder,
    'folders:recent': () => recent.list(),
    'folders:forget': (folder) => {
      recent.forget(folder);
      return recent.list();
    },
    'logs:recent': () => logs.recent(),
    'doctor:examine': () =>
      examine({
        settings: settings.read(),
        view: control.view,
        profile,
        engine: installation.engine,
        secretsUnavailable: secrets.unavailable,
        hasOwnLicense,
      }),
    'settings:read': () => settings.read(),
    'settings:write': (patch) => settings.write(patch),
    'files:save-bundle': (asked) => saveBundle(asked, window, control.target),
    'files:open-bundle': (asked) => openBundle(asked, window, control.target),
    'editor:open': async (place) => {
      await openInEditor(place, control.view.folder);
      return null;
    },
    'debugging:view': () => notDebugging,
    'debugging:start': () => {
      throw new DesktopFailure('not_possible', notDebugging.message);
    },
    'debugging:stop': () => notDebugging,
    'debugging:launch-configuration': () => null,
    'app:check-for-updates': () => checkForUpdates(settings.read()),
    'app:about': () => ({
      version: app.getVersion(),
      electron: process.versions.electron,
      chrome: process.versions.chrome,
      node: process.versions.node,
      platform: `${process.platform} ${process.arch}`,
      profile,
    }),
    'app:responsiveness': lookAtEventLoop,
  };
  return {
    control,
    logs,
    recent,
    handlers,
    chooseFolder,
    openFolder: async (folder) => void (await start(folder)),
  };
}
