import { app, BrowserWindow, nativeTheme, session } from 'electron';
import { isOwnPage } from './studio-protocol.ts';
import { rememberWindow, restoreWindow } from './window-state.ts';

export interface WindowOptions {
  readonly preload: string;
  readonly profile: string;
}

/** Keeps every page inside: no navigation away, no new windows, no webviews, no permissions, no foreign connection. */
export function denyForeignContent(): void {
  app.on('web-contents-created', (_event, contents) => {
    contents.on('will-navigate', (event) => {
      if (!isOwnPage(event.url)) event.preventDefault();
    });
    contents.on('will-frame-navigate', (event) => {
      if (!isOwnPage(event.url)) event.preventDefault();
    });
    contents.on('will-attach-webview', (event) => event.preventDefault());
    contents.setWindowOpenHandler(() => ({ action: 'deny' }));
  });
  const { defaultSession } = session;
  // Copying an id needs a click of the user; reading the clipboard, cameras and the rest are not for this page.
  const isHarmless = (permission: string): boolean => permission === 'clipboard-sanitized-write';
  defaultSession.setPermissionRequestHandler((_contents, permission, respond) =>
    respond(isHarmless(permission)),
  );
  defaultSession.setPermissionCheckHandler((_contents, permission) => isHarmless(permission));
  // Dictionaries would be downloaded from a foreign host; the languages are cleared first, or the download starts.
  defaultSession.setSpellCheckerLanguages([]);
  defaultSession.setSpellCheckerEnabled(false);
}

/** Creates the window, hidden, where it was the last time. */
export function createMainWindow({ preload, profile }: WindowOptions): BrowserWindow {
  const { bounds, isMaximized } = restoreWindow(profile);
  const window = new BrowserWindow({
    ...bounds,
    minWidth: 480,
    minHeight: 360,
    show: false,
    title: 'Agent Runtime',
    // The page's own colours, until it has loaded.
    backgroundColor: nativeTheme.shouldUseDarkColors ? '#15171a' : '#ffffff',
    webPreferences: {
      preload,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webviewTag: false,
      spellcheck: false,
    },
  });
  if (isMaximized) window.maximize();
  rememberWindow(profile, window);
  return window;
}

/** Brings a window to the front. */
export function focusWindow(window: BrowserWindow): void {
  if (window.isMinimized()) window.restore();
  window.show();
  window.focus();
}
