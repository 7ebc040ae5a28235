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

/** A function that sends a request over one channel; the reply comes from main's one guarded file. */
function invoke<N extends RequestName>(name: N) {
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
    view: invoke('service:view'),
    start: invoke('service:start'),
    stop: invoke('service:stop'),
    restart: invoke('service:restart'),
    install: invoke('service:install'),
    cancelBuild: invoke('service:cancel-build'),
    connect: invoke('service:connect'),
    disconnect: invoke('service:disconnect'),
    copyToken: invoke('service:copy-token'),
    onChange: listen('service:changed'),
  },
  folders: {
    choose: invoke('folders:choose'),
    examples: invoke('folders:examples'),
    recent: invoke('folders:recent'),
    forget: invoke('folders:forget'),
  },
  logs: { recent: invoke('logs:recent'), onLines: listen('logs:lines') },
  doctor: { examine: invoke('doctor:examine') },
  settings: {
    read: invoke('settings:read'),
    write: invoke('settings:write'),
    chooseInterpreter: invoke('settings:choose-interpreter'),
  },
  files: { saveBundle: invoke('files:save-bundle') },
  editor: { open: invoke('editor:open') },
  debugging: {
    view: invoke('debugging:view'),
    start: invoke('debugging:start'),
    stop: invoke('debugging:stop'),
    addLaunchConfiguration: invoke('debugging:add-launch-configuration'),
    undoLaunchConfiguration: invoke('debugging:undo-launch-configuration'),
    onChange: listen('debugging:changed'),
  },
  app: {
    checkForUpdates: invoke('app:check-for-updates'),
    about: invoke('app:about'),
    responsiveness: invoke('app:responsiveness'),
    announceRun: invoke('app:announce-run'),
    onCommand: listen('app:command'),
    onSettle: listen('app:settle'),
    settled: invoke('app:settled'),
  },
};
contextBridge.exposeInMainWorld('desktop', bridge);
