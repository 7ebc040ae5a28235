// The only bridge between the window and the desktop. CommonJS, because a sandboxed preload must be.
import { contextBridge } from 'electron';
import type { DesktopBridge } from '../ipc/contract.ts';

const { electron, chrome } = process.versions;
const bridge: DesktopBridge = { versions: { electron, chrome } };
contextBridge.exposeInMainWorld('desktop', bridge);
