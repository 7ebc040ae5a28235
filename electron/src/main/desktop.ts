// The parts of the application, wired together.
import path from 'node:path';
import { app, type BrowserWindow, clipboard, dialog, nativeTheme, shell } from 'electron';
import type { ServiceView, UpdateView } from '../ipc/contract.ts';
import { askOver, pickProgram } from './ask-natively.ts';
import { saveBundle } from './bundle-files.ts';
import { createConfirmations } from './confirmations.ts';
import { openDebugging, type DebuggingController } from './debugging.ts';
import { DesktopFailure } from './desktop-failure.ts';
import { examine } from './doctor.ts';
import { examineSandboxes } from './examine-sandboxes.ts';
import { openInEditor } from './editor.ts';
import { requireInterpreter } from './interpreter.ts';
import { watchEventLoop } from './event-loop.ts';
import { createLinkOpener } from './external-links.ts';
import { copyExamples } from './example-agents.ts';
import { createFolderGrants } from './folder-grants.ts';
import type { Installation } from './installation.ts';
import { notify, type Handlers } from './ipc.ts';
import { openLaunchFile } from './launch-file.ts';
import { createLogBuffer, type LogBuffer } from './log-buffer.ts';
import { offerReload } from './page-crash.ts';
import { createPageSettling, type PageSettling } from './page-settling.ts';
import { openRecentFolders, type RecentFolders } from './recent-folders.ts';
import { reachRemote } from './remote-service.ts';
import { createRunNotices } from './run-notices.ts';
import { openSecrets } from './secrets.ts';
import { ServiceControl } from './service-control.ts';
import { hostServices } from './service-host.ts';
import { openSettings, type Settings } from './settings.ts';
import { showNotification } from './system-notification.ts';
import { checkForUpdates } from './updates.ts';
import { focusWindow } from './windows.ts';

export interface DesktopParts {
  control: ServiceControl;
  logs: LogBuffer;
  recent: RecentFolders;
  debugging: DebuggingController;
  handlers: Handlers;
  settings: Settings;
  settling: PageSettling;
  /** Serves a folder that a person has named. */
  openFolder(folder: string): Promise<void>;
  /** Opens the folder of the last session, unless the settings disable that. */
  reopenLast(): Promise<void>;
  chooseFolder(): Promise<string | null>;
  /** Checks for a new version where a feed is set, and logs the result. */
  lookForUpdates(): Promise<UpdateView>;
}

/** Creates the parts for a profile. */
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
  const grants = createFolderGrants(recent);
  const ask = askOver(window);
  const confirmations = createConfirmations(ask);
  const secrets = openSecrets(profile);
  const logs = createLogBuffer();
  const host = hostServices(path.join(built, 'main/service.js'));
  const page = window.webContents;
  const settling = createPageSettling({
    isReady: () => !page.isDestroyed() && !page.isCrashed() && !page.isLoadingMainFrame(),
    ask: (request) => notify(page, 'app:settle', request),
  });
  const control = new ServiceControl({
    host,
    logs,
    settlePage: settling.settle,
    prepare: () => ({
      ...installation,
      dataRoot: path.join(profile, 'agents'),
      settings: settings.read(),
    }),
  });
  const measureEventLoop = watchEventLoop();
  const announceRun = createRunNotices({
    isWanted: () => settings.read().runNotices && !window.isFocused(),
    show: showNotification,
    open: (path) => {
      focusWindow(window);
      notify(page, 'app:command', path);
    },
  });

  offerReload(page, {
    ask,
    onCrash: (details) => logs.fail('the page', new Error(JSON.stringify(details))),
  });
  const openLink = createLinkOpener({ ask, open: (url) => shell.openExternal(url) });
  // Instead of the handler of `windows.ts`, which denies every window as well.
  page.setWindowOpenHandler(({ url }) => {
    void openLink(url);
    return { action: 'deny' };
  });

  /** Starts a folder that the page names. */
  async function start(folder: string): Promise<ServiceView> {
    return addToRecent(control.start(grants.requireGranted(folder)));
  }

  async function openFolder(folder: string): Promise<void> {
    grants.grant(folder);
    await start(folder);
  }

  /** A folder that started successfully is added to the recent ones. */
  async function addToRecent(starting: Promise<ServiceView>): Promise<ServiceView> {
    const view = await starting;
    if (view.state === 'ready' && view.folder !== undefined) recent.add(view.folder);
    return view;
  }

  async function reopenLast(): Promise<void> {
    const [last] = recent.list();
    if (last === undefined || !settings.read().reopenLastFolder) return;
    if (last.exists) await start(last.path);
    else control.note(`The folder of the last session no longer exists: ${last.path}`);
  }

  async function chooseFolder(): Promise<string | null> {
    const picked = await dialog.showOpenDialog(window, { properties: ['openDirectory'] });
    const [folder] = picked.canceled ? [] : picked.filePaths;
    if (folder !== undefined) grants.grant(folder);
    return folder ?? null;
  }

  /** Our own agents, where they can be edited. */
  async function openExamples(): Promise<string> {
    const folder = await copyExamples(installation.examples, path.join(profile, 'examples'));
    grants.grant(folder);
    return folder;
  }

  async function lookForUpdates(): Promise<UpdateView> {
    const found = await checkForUpdates(settings.read());
    if (found.state !== 'off') logs.info(`updates: ${found.state}`, { ...found });
    return found;
  }

  const debugging = openDebugging(control);
  const launchFile = openLaunchFile(() => control.view.folder);
  const handlers: Handlers = {
    'service:view': () => control.view,
    'service:start': start,
    'service:stop': () => control.stop(),
    'service:restart': () => addToRecent(control.restart()),
    'service:install': () => addToRecent(control.install()),
    'service:cancel-build': () => control.cancelBuild(),
    'service:connect': async (remote) => {
      await confirmations.remote(remote.url);
      return control.connect(await reachRemote(remote, secrets));
    },
    'service:disconnect': () => control.stop(),
    'service:copy-token': async () => {
      const { target } = control;
      const token = 'headers' in target ? target.headers['X-Service-Token'] : undefined;
      if (token === undefined) {
        throw new DesktopFailure('not_possible', 'No service of this machine runs.');
      }
      await clipboard.writeText(token);
      return null;
    },
    'folders:choose': chooseFolder,
    'folders:examples': openExamples,
    'folders:recent': () => recent.list(),
    'folders:forget': (folder) => {
      recent.forget(folder);
      return recent.list();
    },
    'logs:recent': () => logs.recent(),
    'doctor:examine': () =>
      examine({
        sandboxes: () => examineSandboxes(host, installation.serverEntry),
        settings: settings.read(),
        view: control.view,
        profile,
        engine: installation.engine,
        secretsUnavailable: secrets.unavailable,
        hasOwnLicense,
      }),
    'settings:read': () => settings.read(),
    'settings:choose-interpreter': async () => {
      const program = await pickProgram(window);
      // A person has picked it in the system's dialog, so it is not asked about once more.
      if (program === undefined) return null;
      await requireInterpreter(program);
      return settings.write({ interpreter: program });
    },
    'settings:write': async (patch) => {
      await confirmations.settings(patch, settings.read());
      const written = settings.write(patch);
      nativeTheme.themeSource = written.theme;
      return written;
    },
    'files:save-bundle': (request) => saveBundle(request, window, control.target),
    'editor:open': async (location) => {
      await openInEditor(location, control.view.folder);
      return null;
    },
    'debugging:view': () => debugging.view(),
    'debugging:start': (request) => debugging.start(request),
    'debugging:stop': () => debugging.stop(),
    'debugging:add-launch-configuration': (configuration) => launchFile.add(configuration),
    'debugging:undo-launch-configuration': () => launchFile.undo(),
    'app:check-for-updates': lookForUpdates,
    'app:about': () => ({
      version: app.getVersion(),
      electron: process.versions.electron,
      chrome: process.versions.chrome,
      node: process.versions.node,
      platform: `${process.platform} ${process.arch}`,
      profile,
    }),
    'app:responsiveness': measureEventLoop,
    'app:announce-run': (notice) => {
      announceRun(notice);
      return null;
    },
    'app:settled': (request) => {
      settling.settled(request);
      return null;
    },
  };
  return {
    control,
    logs,
    recent,
    settings,
    settling,
    debugging,
    handlers,
    chooseFolder,
    reopenLast,
    lookForUpdates,
    openFolder,
  };
}
