import path from 'node:path';
import { type BrowserWindow, type Rectangle, screen } from 'electron';
import * as z from 'zod';
import { readJsonFile, writeJsonFile } from './json-file.ts';

const standard = { width: 1280, height: 800 };
/** Moving a window emits an event for every pixel. */
const pauseMs = 400;

const stateSchema = z.object({
  x: z.int(),
  y: z.int(),
  width: z.int().min(480),
  height: z.int().min(360),
  isMaximized: z.boolean(),
});

/** The last bounds of the window, if a screen still shows them. */
export function restoreWindow(profile: string): {
  bounds: Partial<Rectangle>;
  isMaximized: boolean;
} {
  const state = stateSchema.safeParse(readJsonFile(fileIn(profile))).data;
  if (state === undefined) return { bounds: standard, isMaximized: false };
  const { isMaximized, ...bounds } = state;
  const { width, height } = bounds;
  return { bounds: isVisible(bounds) ? bounds : { width, height }, isMaximized };
}

/** Stores the bounds of the window at every change. */
export function rememberWindow(profile: string, window: BrowserWindow): void {
  let timer: NodeJS.Timeout | undefined;
  const save = (): void => {
    clearTimeout(timer);
    if (window.isDestroyed() || window.isMinimized()) return;
    const state = { ...window.getNormalBounds(), isMaximized: window.isMaximized() };
    writeJsonFile(fileIn(profile), state);
  };
  const saveSoon = (): void => {
    clearTimeout(timer);
    timer = setTimeout(save, pauseMs);
  };
  window.on('resize', saveSoon);
  window.on('move', saveSoon);
  window.on('close', save);
}

function fileIn(profile: string): string {
  return path.join(profile, 'window-state.json');
}

/** A part of the window must be on some screen, or the user cannot drag it. */
function isVisible({ x, y, width, height }: Rectangle): boolean {
  const margin = 80;
  return screen.getAllDisplays().some(({ workArea }) => {
    const isLeftOrRight =
      x + width < workArea.x + margin || x > workArea.x + workArea.width - margin;
    const isAbove = y < workArea.y - margin || y > workArea.y + workArea.height - margin;
    return !isLeftOrRight && !isAbove && height > 0;
  });
}
