import { existsSync, readdirSync, watch, type FSWatcher } from 'node:fs';
import path from 'node:path';

import type { Logger } from '../port.ts';

/** Folders whose changes are no changes of the agent. */
const ignored = new Set([
  '.venv',
  'venv',
  'node_modules',
  '__pycache__',
  '.git',
  '.cache',
  '.pytest_cache',
  '.ruff_cache',
  '.mypy_cache',
  '.idea',
  '.vscode',
]);

/** Editors write a file in several steps, and a branch switch changes many files. */
const SETTLE_MS = 200;

export interface SourceWatch {
  /** Watches these folders too. */
  follow(directories: readonly string[]): void;
  close(): void;
}

/** Calls `onChange` once after the sources in these folders have changed and settled. */
export function watchSource(
  directories: readonly string[],
  onChange: () => void,
  logger: Logger,
): SourceWatch {
  const watchers = new Map<string, FSWatcher>();
  let timer: NodeJS.Timeout | undefined;

  const leave = (folder: string): void => {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  };

  const changed = (folder: string, event: string, name: string | null): void => {
    if (name !== null && isIgnored(name)) return;
    if (!existsSync(folder)) leave(folder);
    else if (event === 'rename') enterBelow(folder);
    clearTimeout(timer);
    timer = setTimeout(onChange, SETTLE_MS);
  };

  // Not `recursive`: on Linux that watches every file of every environment below.
  const enter = (folder: string): void => {
    if (watchers.has(folder)) return;
    try {
      const watcher = watch(folder, { persistent: false });
      watchers.set(folder, watcher);
      watcher.on('change', (event, name) =>
        changed(folder, event, typeof name === 'string' ? name : null),
      );
      watcher.on('error', () => leave(folder));
      enterBelow(folder);
    } catch (error) {
      logger.warn({ err: error, folder }, 'a folder cannot be watched, its changes go unnoticed');
    }
  };

  const enterBelow = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isDirectory() && !isIgnored(entry.name)) enter(path.join(folder, entry.name));
    }
  };

  const follow = (wanted: readonly string[]): void => {
    for (const directory of wanted) enter(directory);
  };

  follow(directories);
  return {
    follow,
    close: () => {
      clearTimeout(timer);
      for (const folder of watchers.keys()) leave(folder);
    },
  };
}

/** Files that agents write while they run, and an editor's own files. */
const IGNORED_FILE = /\.(pyc|swp|swx|log|(db|sqlite3?)(-wal|-shm|-journal)?)$|~$|^\.#|^4913$/;

/** True for folders and files that are not part of the agent's code. */
export function isIgnored(name: string): boolean {
  return ignored.has(name) || IGNORED_FILE.test(name);
}
