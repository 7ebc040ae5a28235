import { mkdir, readFile, realpath, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { LaunchConfiguration, LaunchEntry } from '../ipc/contract.ts';
import { DesktopFailure } from './desktop-failure.ts';
import { withLaunchConfiguration } from './launch-json.ts';

/** `.vscode/launch.json` of the agent folder that is open. */
export interface LaunchFile {
  add(configuration: LaunchConfiguration): Promise<LaunchEntry>;
  /** The file as it was before the last `add`; rejects when it has been edited since. */
  undo(): Promise<null>;
}

interface Change {
  readonly file: string;
  /** Undefined when there was no file. */
  readonly before: string | undefined;
  readonly after: string;
  readonly hasMadeFolder: boolean;
}

/** Edits the file atomically, and keeps the last edit for `undo`. */
export function openLaunchFile(folderOf: () => string | undefined): LaunchFile {
  let last: Change | undefined;
  return {
    async add(configuration) {
      const folder = folderOf();
      if (folder === undefined)
        throw new DesktopFailure('not_possible', 'No agent folder is open.');
      const named = path.join(folder, '.vscode', 'launch.json');
      return explained(named, async () => {
        const file = await realFile(named);
        const before = await readText(file);
        const { text: after, isNew } = withLaunchConfiguration(before, configuration);
        const made = await mkdir(path.dirname(file), { recursive: true });
        await replaceText(file, after);
        last = { file, before, after, hasMadeFolder: made !== undefined };
        return { file: named, isNew };
      });
    },
    async undo() {
      const change = last;
      if (change === undefined) {
        throw new DesktopFailure('not_possible', 'There is nothing to undo.');
      }
      const { file, before, after, hasMadeFolder } = change;
      return explained(file, async () => {
        if ((await readText(file)) !== after) {
          const reason = `${file} has been edited since, so nothing was undone.`;
          throw new DesktopFailure('not_possible', reason);
        }
        if (before === undefined) await rm(file);
        else await replaceText(file, before);
        // Only an empty one: other files may have been added since.
        if (hasMadeFolder) await rmdir(path.dirname(file)).catch(() => undefined);
        last = undefined;
        return null;
      });
    },
  };
}

/** Of a symbolic link the target is changed, not the link. */
async function realFile(file: string): Promise<string> {
  return realpath(file).catch(() => file);
}

async function readText(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

async function replaceText(file: string, text: string): Promise<void> {
  const mode = await stat(file).then(
    (found) => found.mode,
    () => 0o666,
  );
  const partial = `${file}.${process.pid}.part`;
  try {
    await writeFile(partial, text, { mode });
    await rename(partial, file);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

async function explained<T>(file: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (cause) {
    if (cause instanceof DesktopFailure) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new DesktopFailure('not_possible', `${file} was not changed: ${reason}`, { cause });
  }
}
