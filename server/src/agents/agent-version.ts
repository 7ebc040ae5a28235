import { execFile } from 'node:child_process';
import { createHash, type Hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const GIT_LIMIT_MS = 5_000;
/** Beyond these a folder holds something else than an agent's code, and has no version. */
const MAX_FILES = 10_000;
const MAX_BYTES = 256 * 1024 * 1024;

/** What belongs to the machine, not to the agent. Names with a leading dot are left out too. */
const ignored = new Set(['node_modules', 'venv', '__pycache__']);

const run = promisify(execFile);

/** The version of an agent folder's code, found out once until `renew`. */
export interface AgentVersion {
  /** Undefined when it cannot be found out. Never rejects. */
  current(): Promise<string | undefined>;
  /** The folder has changed. */
  renew(): void;
}

/** Finds out the version of an agent folder, in the background. */
export function createAgentVersion(directory: string, signal: AbortSignal): AgentVersion {
  const find = (): Promise<string | undefined> =>
    agentVersionOf(directory, signal).catch(() => undefined);
  let current = find();
  return {
    current: () => current,
    renew() {
      current = find();
    },
  };
}

/**
 * Decisions: "`agent_version`". The git commit of the folder when what is in it was committed, otherwise
 * `sha256:` and a hash of the names and contents of its files.
 */
export async function agentVersionOf(directory: string, signal: AbortSignal): Promise<string> {
  return (await commitOf(directory, signal)) ?? `sha256:${await contentHash(directory, signal)}`;
}

/** Undefined without git, outside of a repository, and where the folder differs from the commit. */
async function commitOf(directory: string, signal: AbortSignal): Promise<string | undefined> {
  const git = async (...args: string[]): Promise<string> => {
    // Nothing is written into the repository, and no file system monitor of its configuration is started.
    const quiet = ['--no-optional-locks', '-c', 'core.fsmonitor=false', '-C', directory];
    const options = { timeout: GIT_LIMIT_MS, signal };
    return (await run('git', [...quiet, ...args], options)).stdout.trim();
  };
  try {
    const commit = await git('rev-parse', '--verify', 'HEAD');
    // A folder that the repository ignores has no changes either.
    if ((await git('ls-tree', '--name-only', 'HEAD', '.')) === '') return undefined;
    return (await git('status', '--porcelain', '--', '.')) === '' ? commit : undefined;
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

async function contentHash(directory: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  await addFolder(hash, directory, '', { files: 0, bytes: 0, signal });
  return hash.digest('hex');
}

async function addFolder(
  hash: Hash,
  root: string,
  folder: string,
  seen: { files: number; bytes: number; signal: AbortSignal },
): Promise<void> {
  const entries = await readdir(path.join(root, folder), { withFileTypes: true });
  // By code units: the same on every machine.
  const sorted = entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of sorted) {
    if (entry.name.startsWith('.') || ignored.has(entry.name)) continue;
    seen.signal.throwIfAborted();
    const name = path.posix.join(folder, entry.name);
    if (entry.isDirectory()) await addFolder(hash, root, name, seen);
    if (!entry.isFile()) continue;
    const content = await readFile(path.join(root, name));
    seen.files += 1;
    seen.bytes += content.length;
    if (seen.files > MAX_FILES || seen.bytes > MAX_BYTES) {
      throw new Error('The folder is too large to have a version.');
    }
    hash.update(`${name}\0${content.length}\0`).update(content);
  }
}
