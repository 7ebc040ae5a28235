// The studio's page, built once and kept until one of its sources changes.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
const page = path.join(root, 'electron/dist/renderer/index.html');
const sources = ['renderer', 'electron/src/ipc', 'vite.config.ts', 'package-lock.json'];

/** Builds the page with Vite, without the desktop's main process; returns whether that worked. */
export function buildStudio(): boolean {
  const vite = path.join(root, 'node_modules/vite/bin/vite.js');
  // On standard error: the output of a program that serves belongs to it.
  const { status } = spawnSync(
    process.execPath,
    [vite, 'build', '--mode', 'studio', '--logLevel', 'warn'],
    {
      cwd: root,
      stdio: ['ignore', 2, 2],
    },
  );
  return status === 0;
}

/** True when there is a page and nothing that it is made from changed since. A look at file times, some milliseconds. */
export function isStudioFresh(): boolean {
  if (!existsSync(page)) return false;
  const builtAt = statSync(page).mtimeMs;
  return sources.every((source) => newestTime(path.join(root, source)) <= builtAt);
}

/** The newest time of a file, or of anything in a folder: a folder's own time changes when files are deleted. */
function newestTime(file: string): number {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) return 0;
  if (!found.isDirectory()) return found.mtimeMs;
  const inside = readdirSync(file)
    .filter((name) => name !== 'node_modules' && !name.includes('.test.'))
    .map((name) => newestTime(path.join(file, name)));
  return Math.max(found.mtimeMs, ...inside);
}
