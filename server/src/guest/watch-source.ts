import { watch } from 'node:fs';
import path from 'node:path';

import type { Logger } from './logger.ts';

/** Folders that change without the agent changing. */
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

/** Editors write a file in several steps, and a branch switch many files. */
const SETTLE_MS = 200;

export interface SourceWatch {
  close(): void;
}

/** Calls `onChange` once after the sources of an agent folder have changed and settled. */
export function watchSource(directory: string, onChange: () => void, logger: Logger): SourceWatch {
  let timer: NodeJS.Timeout | undefined;
  const watcher = watch(directory, { recursive: true, persistent: false });
  watcher.on('change', (_event, name) => {
    if (typeof name === 'string' && isIgnored(name)) return;
    clearTimeout(timer);
    timer = setTimeout(onChange, SETTLE_MS);
  });
  watcher.on('error', (error) => {
    logger.warn({ err: error }, 'the agent folder cannot be watched; reload is off');
  });
  return {
    close: () => {
      clearTimeout(timer);
      watcher.close();
    },
  };
}

/** True for files that are made while agents run, and for an editor's own. */
export function isIgnored(name: string): boolean {
  const parts = name.split(path.sep);
  const file = parts.at(-1) ?? '';
  return parts.some((part) => ignored.has(part)) || /(\.pyc|\.swp|\.swx|~)$|^\.#|^4913$/.test(file);
}
