// The boot list: one step a line, in the order they must happen.
import path from 'node:path';
import { app, dialog } from 'electron';
import { findService } from './service-host.ts';
import { registerStudioScheme, serveStudio } from './studio-protocol.ts';
import { denyForeignContent, openMainWindow } from './windows.ts';

const built = path.resolve(import.meta.dirname, '..');
const devServer = process.env['VITE_DEV_SERVER_URL']; // set by `npm run dev`

const service = findService(app.commandLine.getSwitchValue('service-url')); // fails before a window opens
registerStudioScheme(); // Electron takes schemes only before it is ready
app.on('window-all-closed', () => app.quit()); // or the app lingers without a window

async function openDesktop(): Promise<void> {
  denyForeignContent(); // before the first page exists
  serveStudio(path.join(built, 'renderer'), service);
  await openMainWindow({ preload: path.join(built, 'preload/index.cjs'), devServer });
}

// Not awaited at the top level: Electron becomes ready only after this module has been evaluated.
app
  .whenReady()
  .then(openDesktop)
  .catch((error: unknown) => {
    dialog.showErrorBox('Agent Runtime cannot start', String(error));
    app.exit(1);
  });
