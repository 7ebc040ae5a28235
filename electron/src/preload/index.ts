// The only bridge between the window and the desktop. CommonJS, because a sandboxed preload must be.
import { contextBridge, ipcRenderer } from 'electron';
import type {
  Notice,
  NoticeName,
  RequestInput,
  RequestName,
  RequestOutput,
} from '../ipc/channels.ts';
import type { DesktopBridge, Reply } from '../ipc/contract.ts';

/** A function that asks main over one channel; what comes back was made by main's one guarded file. */
function ask<N extends RequestName>(name: N) {
  return (input?: RequestInput<N>): Promise<Reply<RequestOutput<N>>> =>
    ipcRenderer.invoke(name, input);
}

/** A function that listens to one channel. The event itself stays here: it leads to all of ipcRenderer. */
function listen<N extends NoticeName>(name: N) {
  return (listener: (notice: Notice<N>) => void): (() => void) => {
    const forward = (_event: unknown, notice: Notice<N>): void => listener(notice);
    ipcRenderer.on(name, forward);
    return () => void ipcRenderer.off(name, forward);
  };
}

const { electron, chrome } = process.versions;
const bridge: DesktopBridge = {
  versions: { electron, chrome, platform: process.platform },
  service: {
    view: ask('service:view'),
    start: ask('service:start'),
    stop: ask('service:stop'),
    restart: ask('service:restart'),
    install: ask('service:install'),
    cancelBuild: ask('service:cancel-build'),
    connect: ask('service:connect'),
    disconnect: ask('service:disconnect'),
    copyToken: ask('service:copy-token'),
    onChange: listen('service:changed'),
  },
  folders: {
    choose: ask('folders:choose'),
    recent: ask('folders:recent'),
    forget: ask('folders:forget'),
  },
  logs: { recent: ask('logs:recent'), onLines: listen('logs:lines') },
  doctor: { examine: ask('doctor:examine') },
  settings: { read: ask('settings:read'), write: ask('settings:write') },
  files: { saveBundle: ask('files:save-bundle') },
  editor: { open: ask('editor:open') },
  debugging: {
    view: ask('debugging:view'),
    start: ask('debugging:start'),
    stop: ask('debugging:stop'),
    addLaunchConfiguration: ask('debugging:add-launch-configuration'),
    undoLaunchConfiguration: ask('debugging:undo-launch-configuration'),
    onChange: listen('debugging:changed'),
  },
  app: {
    checkForUpdates: ask('app:check-for-updates'),
    about: ask('app:about'),
    responsiveness: ask('app:responsiveness'),
    onCommand: listen('app:command'),
  },
};
contextBridge.exposeInMainWorld('desktop', bridge);
