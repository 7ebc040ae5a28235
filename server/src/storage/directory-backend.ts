import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isServiceError, ServiceError } from '../errors/service-error.ts';
import type { BlobBackend, ListedObject } from './blob-backend.ts';
import { isHash, objectName, threadName, threadOfName } from './thread-name.ts';

/** File systems accept names of 255 bytes; a longer name continues in a subfolder, which `+` marks. */
const NAME_CHARS = 200;
const GOES_ON = '+';

/** The collector may remove a thread's empty folder while a file is written into it. */
const RENAME_ATTEMPTS = 10;

/**
 * Payloads as files: `<path>/threads/<thread>/<hash>`, written as a draft and renamed, each step synchronised. Only
 * this user has access.
 */
export async function openDirectoryBackend(path: string): Promise<BlobBackend> {
  const threads = join(path, 'threads');
  const drafts = join(path, 'drafts');
  const markFile = join(path, 'engine.json');
  await translated(async () => {
    for (const folder of [path, threads, drafts]) await makeFolder(folder);
  });
  /** Names of this process's drafts. */
  const own = new Set<string>();

  /** Writes a draft, then renames it; when it resolves, content and name are on the disk. */
  async function write(target: string, bytes: Uint8Array | string): Promise<void> {
    const name = randomUUID();
    const draft = join(drafts, name);
    own.add(name);
    try {
      const file = await open(draft, 'wx', 0o600);
      try {
        await file.writeFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
      await moveDraft(draft, target);
    } catch (error) {
      await rm(draft, { force: true }).catch(() => undefined); // the first error is the cause
      throw error;
    } finally {
      own.delete(name);
    }
  }

  async function moveDraft(draft: string, target: string): Promise<void> {
    const folder = dirname(target);
    for (let left = RENAME_ATTEMPTS; ; left -= 1) {
      const madeIn = await makeFolder(folder, threads);
      try {
        await rename(draft, target);
        for (const changed of [folder, ...madeIn]) await synchronise(changed);
        return;
      } catch (error) {
        if (codeOf(error) !== 'ENOENT' || left <= 1) throw error;
      }
    }
  }

  const folderOf = (threadId: string): string => join(threads, ...segments(threadName(threadId)));
  const fileOf = (threadId: string, hash: string): string =>
    join(folderOf(threadId), objectName(hash));

  async function* walk(folder: string, name: string): AsyncGenerator<string> {
    for (const entry of await entriesOf(folder)) {
      const isPart = entry.endsWith(GOES_ON);
      if (isPart) yield* walk(join(folder, entry), name + entry.slice(0, -GOES_ON.length));
      const threadId = isPart ? undefined : threadOfName(name + entry);
      if (threadId !== undefined) yield threadId;
    }
  }

  return {
    description: `the directory ${path}`,
    put: (threadId, hash, bytes) => translated(async () => write(fileOf(threadId, hash), bytes)),
    get: (threadId, hash) => translated(async () => contentOf(fileOf(threadId, hash))),
    remove: (threadId, hash) => translated(async () => rm(fileOf(threadId, hash), { force: true })),
    list: (threadId) => translated(() => listFiles(folderOf(threadId))),
    async removeThread(threadId) {
      for (let at = folderOf(threadId); at !== threads; at = dirname(at)) {
        if (!(await removeEmpty(at))) return;
      }
    },
    listThreads: () => walk(threads, ''),
    async removeDrafts({ olderThanMs }) {
      for (const name of await entriesOf(drafts)) {
        const file = join(drafts, name);
        if (!own.has(name) && (await ageOf(file)) >= olderThanMs) await rm(file, { force: true });
      }
    },
    async readMark() {
      const bytes = await translated(() => contentOf(markFile));
      return bytes && new TextDecoder().decode(bytes);
    },
    writeMark: (text) => translated(() => write(markFile, text)),
    close: () => undefined,
  };
}

/**
 * Creates a folder with its parents and returns the folders in which it created an entry. It creates nothing at `root`
 * or above: if the disk was unmounted, nothing must be written to its mount point. Node's own recursive mkdir never
 * returns where the file system refuses a name with ENOENT, as /proc does.
 */
async function makeFolder(folder: string, root?: string): Promise<string[]> {
  if (folder === root) return [];
  const parent = dirname(folder);
  try {
    await mkdir(folder, { mode: 0o700 });
    return [parent];
  } catch (error) {
    if (codeOf(error) === 'EEXIST' && (await stat(folder)).isDirectory()) return [];
    if (codeOf(error) !== 'ENOENT' || parent === folder || (await isThere(parent))) throw error;
  }
  const made = await makeFolder(parent, root);
  await mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error;
  });
  return [parent, ...made];
}

async function isThere(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}

function segments(name: string): string[] {
  const parts: string[] = [];
  for (let at = 0; at < name.length; at += NAME_CHARS) parts.push(name.slice(at, at + NAME_CHARS));
  return parts.map((part, index) => (index < parts.length - 1 ? part + GOES_ON : part));
}

async function listFiles(folder: string): Promise<ListedObject[]> {
  const objects: ListedObject[] = [];
  for (const hash of await entriesOf(folder)) {
    if (isHash(hash)) objects.push({ hash, ageMs: await ageOf(join(folder, hash)) });
  }
  return objects;
}

async function contentOf(file: string): Promise<Uint8Array | undefined> {
  try {
    return await readFile(file);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function entriesOf(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

/** A file that no longer exists is infinitely young, so that it is not removed. */
async function ageOf(file: string): Promise<number> {
  try {
    return Date.now() - (await stat(file)).mtimeMs;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return Number.NEGATIVE_INFINITY;
    throw error;
  }
}

async function removeEmpty(folder: string): Promise<boolean> {
  try {
    await rmdir(folder);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return true;
    if (codeOf(error) === 'ENOTEMPTY' || codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** A rename is on the disk once its folder is synchronised. Windows has no such call and needs none. */
async function synchronise(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const FULL = 'The external checkpoint storage has no room left.';

async function translated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (isServiceError(cause)) throw cause;
    const code = codeOf(cause);
    const isFull = code === 'ENOSPC' || code === 'EDQUOT';
    throw isFull
      ? new ServiceError('storage_full', `${FULL} (${code})`, { cause })
      : new ServiceError('storage_unavailable', unavailable(code), { cause });
  }
}

function unavailable(code: string): string {
  return `The external checkpoint storage does not work${code === '' ? '' : ` (${code})`}.`;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
