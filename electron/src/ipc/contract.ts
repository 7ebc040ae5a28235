/** What the preload bridge gives the window, as `window.desktop`. A browser has no such thing. */
export interface DesktopBridge {
  /** The Chromium and Electron the window runs on, for the page's footer and for bug reports. */
  readonly versions: { readonly electron: string; readonly chrome: string };
}
