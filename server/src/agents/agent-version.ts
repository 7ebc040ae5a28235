import { execFile } from 'node:child_process';
import { createHash, type Hash } from 'node:crypto';
import { readdir, readFile, readlink, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const GIT_LIMIT_MS = 5_000;
/** A folder above these limits contains more than an agent's code, and has no version. */
const MAX_FILES = 10_000;
const MAX_BYTES = 256 * 1024 * 1024;

/** Folders that belong to the machine, not to the agent. Names with a leading dot are excluded too. */
const ignored = new Set(['node_modules', 'venv', '__pycache__']);

const run = promisify(execFile);

/** The agent folder, then other folders of its agents' code; absolute. */
type SourceFolders = readonly [string, ...string[]];

/** The version of an agent folder's code, computed once until `renew`. */
export interface AgentVersion {
  /** Undefined when it cannot be determined. Never rejects. */
  current(): Promise<string | undefined>;
  /** The folders, or their contents, have changed. */
  renew(folders: SourceFolders): void;
}

export interface VersionOptions {
  /** False for an untrusted folder: git runs programs from the configuration of the repository (filters, ssh). */
  usesGit: boolean;
}

/** Computes the version of an agent folder in the background. */
export function createAgentVersion(
  folders: SourceFolders,
  signal: AbortSignal,
  options: VersionOptions,
): AgentVersion {
  const find = (wanted: SourceFolders): Promise<string | undefined> =>
    agentVersionOf(wanted, signal, options).catch(() => undefined);
  let current = find(folders);
  return {
    current: () => current,
    renew(wanted) {
      current = find(wanted);
    },
  };
}

/**
 * Decisions: "`agent_version`". The git commit of the folders when their content is committed, otherwise `sha256:` and
 * a hash of the names and contents of their files.
 */
export async function agentVersionOf(
  folders: SourceFolders,
  signal: AbortSignal,
  { usesGit }: VersionOptions,
): Promise<string> {
  const commit = usesGit ? await commonCommit(folders, signal) : undefined;
  return commit ?? `sha256:${await contentHash(folders, signal)}`;
}

async function commonCommit(
  folders: SourceFolders,
  signal: AbortSignal,
): Promise<string | undefined> {
  const commits = await Promise.all(folders.map((folder) => commitOf(folder, signal)));
  const [commit] = commits;
  return commits.every((other) => other === commit) ? commit : undefined;
}

/** Undefined without git, outside of a repository, and where the folder differs from the commit. */
async function commitOf(directory: string, signal: AbortSignal): Promise<string | undefined> {
  const git = async (...args: string[]): Promise<string> => {
    // Writes nothing into the repository and starts no file system monitor from its configuration.
    const quiet = ['--no-optional-locks', '-c', 'core.fsmonitor=false', '-C', directory];
    const options = { timeout: GIT_LIMIT_MS, signal };
    return (await run('git', [...quiet, ...args], options)).stdout.trim();
  };
  try {
    const commit = await git('rev-parse', '--verify', 'HEAD');
    // A folder that the repository ignores has no changes either; it has no commit.
    if ((await git('ls-tree', '--name-only', 'HEAD', '.')) === '') return undefined;
    return (await git('status', '--porcelain', '--', '.')) === '' ? commit : undefined;
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

async function contentHash(folders: SourceFolders, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  const seen = { files: 0, bytes: 0, signal };
  const [directory] = folders;
  for (const folder of folders) {
    // Relative to the agent folder: the same in every location of both.
    if (folder !== directory) hash.update(`${path.relative(directory, folder)}\0\0`);
    await addFolder(hash, folder, '', seen);
  }
  return hash.digest('hex');
}

async function addFolder(
  hash: Hash,
  root: string,
  folder: string,
  seen: { files: number; bytes: number; signal: AbortSignal },
): Promise<void> {
  const entries = await readdir(path.join(root, folder), { withFileTypes: true });
  // By code units: the same order on every machine.
  const sorted = entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of sorted) {
    if (entry.name.startsWith('.') || ignored.has(entry.name)) continue;
    seen.signal.throwIfAborted();
    const name = path.posix.join(folder, entry.name);
    if (entry.isDirectory()) await addFolder(hash, root, name, seen);
    if (!entry.isFile() && !entry.isSymbolicLink()) continue;
    const file = path.join(root, name);
    seen.files += 1;
    // Checked before reading: a link may point to a file of any size.
    seen.bytes += (await stat(file).catch(() => undefined))?.size ?? 0;
    if (seen.files > MAX_FILES || seen.bytes > MAX_BYTES) {
      throw new Error('The folder is too large to have a version.');
    }
    const content = entry.isFile() ? await readFile(file) : await linkedContent(file);
    hash.update(`${name}\0${content.length}\0`).update(content);
  }
}

/** For a link to a file its content, as it is imported; for a link to a folder its target. */
async function linkedContent(link: string): Promise<Buffer> {
  const target = await stat(link).catch(() => undefined);
  return target?.isFile() === true ? await readFile(link) : Buffer.from(await readlink(link));
}
