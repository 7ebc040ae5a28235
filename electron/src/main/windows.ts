import { app, BrowserWindow, session } from 'electron';
import { studioOrigin } from './studio-protocol.ts';

export interface WindowOptions {
  readonly preload: string;
  /** Vite's server while developing; the built page otherwise. */
  readonly devServer: string | undefined;
}

/** Keeps every page inside: no navigation away, no new windows, no webviews, no permissions. */
export function denyForeignContent(): void {
  app.on('web-contents-created', (_event, contents) => {
    contents.on('will-navigate', (event) => event.preventDefault());
    contents.on('will-attach-webview', (event) => event.preventDefault());
    contents.setWindowOpenHandler(() => ({ action: 'deny' }));
  });
  session.defaultSession.setPermissionRequestHandler((_contents, _permission, answer) =>
    answer(false),
  );
}

/** Opens the window and shows it once the page has something to show. */
export async function openMainWindow({ preload, devServer }: WindowOptions): Promise<void> {
  const window = new BrowserWindow({
    width: 1280,
    height: 800,
    show: false,
    title: 'Agent Runtime',
    webPreferences: {
      preload,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      // Its dictionaries would be downloaded from a foreign host.
      spellcheck: false,
    },
  });
  window.once('ready-to-show', () => window.show());
  await window.loadURL(devServer ?? `${studioOrigin}/`);
}
