import type { DesktopBridge } from '../../electron/src/ipc/contract.ts';

declare global {
  interface Window {
    readonly desktop?: DesktopBridge;
  }
}

/** What the desktop offers to the page; undefined in a browser. */
export const desktop: DesktopBridge | undefined = window.desktop;
