import { Menu, type MenuItemConstructorOptions } from 'electron';
import type { Notice } from '../ipc/channels.ts';

/** Actions of the menu. */
export interface MenuActions {
  openFolder(): void;
  openRecent(folder: string): void;
  restartService(): void;
  stopService(): void;
  lookForUpdates(): void;
  /** Navigates the page. */
  go(command: Notice<'app:command'>): void;
}

export interface MenuContent {
  recent: readonly string[];
  hasService: boolean;
}

/** Rebuilds the menu; called when its content has changed. */
export function showMenu(actions: MenuActions, content: MenuContent): void {
  Menu.setApplicationMenu(Menu.buildFromTemplate(template(actions, content)));
}

function template(actions: MenuActions, content: MenuContent): MenuItemConstructorOptions[] {
  const isMac = process.platform === 'darwin';
  const settings: MenuItemConstructorOptions = {
    label: 'Settings…',
    accelerator: 'CmdOrCtrl+,',
    click: () => actions.go('/settings'),
  };
  return [
    ...(isMac ? [appMenu(settings)] : []),
    fileMenu(actions, content, isMac ? [] : [{ type: 'separator' }, settings]),
    { role: 'editMenu' },
    viewMenu(actions),
    serviceMenu(actions, content),
    { role: 'windowMenu' },
    helpMenu(actions),
  ];
}

function appMenu(settings: MenuItemConstructorOptions): MenuItemConstructorOptions {
  const items: MenuItemConstructorOptions[] = [
    { role: 'about' },
    { type: 'separator' },
    settings,
    { type: 'separator' },
    { role: 'hide' },
    { role: 'quit' },
  ];
  return { role: 'appMenu', submenu: items };
}

function fileMenu(
  actions: MenuActions,
  { recent }: MenuContent,
  settings: MenuItemConstructorOptions[],
): MenuItemConstructorOptions {
  const folders = recent.map((folder): MenuItemConstructorOptions => ({
    label: folder,
    click: () => actions.openRecent(folder),
  }));
  return {
    label: 'File',
    submenu: [
      { label: 'Open folder…', accelerator: 'CmdOrCtrl+O', click: () => actions.openFolder() },
      { label: 'Open recent', enabled: folders.length > 0, submenu: folders },
      { label: 'Connect to a service…', click: () => actions.go('/welcome') },
      ...settings,
      { type: 'separator' },
      process.platform === 'darwin' ? { role: 'close' } : { role: 'quit' },
    ],
  };
}

function viewMenu(actions: MenuActions): MenuItemConstructorOptions {
  return {
    label: 'View',
    submenu: [
      {
        label: 'Command palette',
        accelerator: 'CmdOrCtrl+K',
        registerAccelerator: false, // the page has the key itself, also in a browser
        click: () => actions.go('palette'),
      },
      { label: 'Threads', click: () => actions.go('/threads') },
      { label: 'Runs', click: () => actions.go('/runs') },
      { label: 'Agents', click: () => actions.go('/agents') },
      { label: 'Store', click: () => actions.go('/store') },
      { label: 'Access', click: () => actions.go('/access') },
      { label: 'Bundles', click: () => actions.go('/bundles') },
      { label: 'Debugger', click: () => actions.go('/debug') },
      { label: 'Logs', accelerator: 'CmdOrCtrl+Shift+L', click: () => actions.go('/logs') },
      { type: 'separator' },
      { role: 'reload' },
      { role: 'toggleDevTools' },
      { type: 'separator' },
      { role: 'resetZoom' },
      { role: 'zoomIn' },
      { role: 'zoomOut' },
      { role: 'togglefullscreen' },
    ],
  };
}

function serviceMenu(
  actions: MenuActions,
  { hasService }: MenuContent,
): MenuItemConstructorOptions {
  return {
    label: 'Service',
    submenu: [
      {
        label: 'Restart',
        accelerator: 'CmdOrCtrl+Shift+Enter',
        enabled: hasService,
        click: () => actions.restartService(),
      },
      { label: 'Stop', enabled: hasService, click: () => actions.stopService() },
    ],
  };
}

function helpMenu(actions: MenuActions): MenuItemConstructorOptions {
  return {
    role: 'help',
    submenu: [
      { label: 'Doctor', click: () => actions.go('/doctor') },
      { label: 'Check for updates…', click: () => actions.lookForUpdates() },
      { label: 'About Agent Runtime', role: 'about' },
    ],
  };
}
