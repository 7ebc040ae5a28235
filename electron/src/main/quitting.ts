import { app, type BrowserWindow } from 'electron';

/** After this the application ends with whatever still runs; engine and guests notice and end by themselves. */
const limitMs = 20_000;

/** The page does what it has delayed before its window closes. */
export function settleBeforeClose(window: BrowserWindow, settle: () => Promise<void>): void {
  let isSettled = false;
  window.on('close', (event) => {
    if (isSettled) return;
    event.preventDefault();
    void settle().then(() => {
      isSettled = true;
      if (!window.isDestroyed()) window.close();
    });
  });
}

/** Stops everything before the application ends, however it is quit. */
export function stopBeforeQuit(stop: () => Promise<unknown>): void {
  let isStopped = false;
  app.on('before-quit', (event) => {
    if (isStopped) return;
    event.preventDefault();
    const limit = setTimeout(() => app.exit(1), limitMs);
    stop()
      .catch(() => undefined)
      .finally(() => {
        clearTimeout(limit);
        isStopped = true;
        app.quit();
      });
  });
  app.on('window-all-closed', () => app.quit()); // or the app lingers without a window
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => app.quit());
  }
}
