import { randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import * as z from 'zod';
import { ServiceError } from '../errors/service-error.ts';
import { hasSqlite } from './sqlite-runtime.ts';
import { processStart } from './process-identity.ts';

/** How long another starting process may hold the lock while checking it; a running service keeps it until it ends. */
const LOOK_MS = 500;

const holderSchema = z.object({
  id: z.string(),
  pid: z.int(),
  address: z.exactOptional(z.string()),
});
type Holder = z.output<typeof holderSchema>;

/** The right to use a data directory, held by this process until it releases it or ends. */
export interface InstanceLock {
  /** Names this instance: the identity of its worker. */
  readonly instanceId: string;
  /** Records the address of this instance for the next process that wants the directory. */
  setAddress(url: string): void;
  /** Idempotent. */
  release(): void;
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

/** Node's own recursive mkdir never returns where the file system refuses a name with ENOENT, as /proc does. */
function makeWithParents(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (isCode(error, 'EEXIST') && statSync(path).isDirectory()) return;
    const parent = dirname(path);
    if (!isCode(error, 'ENOENT') || parent === path || existsSync(parent)) throw error;
    makeWithParents(parent);
    mkdirSync(path, { mode: 0o700 });
  }
}

function makeFolder(dataDir: string): void {
  try {
    makeWithParents(dataDir);
  } catch (cause) {
    const sentence = `The data directory ${dataDir} cannot be made; name another with --data-dir.`;
    throw new ServiceError('config_invalid', sentence, { cause });
  }
}

function notWritable(dataDir: string, cause: unknown): ServiceError {
  const sentence = `The data directory ${dataDir} cannot be written; name another with --data-dir.`;
  return new ServiceError('config_invalid', sentence, { cause });
}

/** Names the process that holds the folder, as far as its record is known. */
function inUse(dataDir: string): ServiceError {
  const holder = readHolder(dataDir);
  const { pid, address } = holder ?? {};
  const who = pid === undefined ? 'another process' : `process ${pid}`;
  const where = address === undefined ? 'which is starting' : `at ${address}`;
  return new ServiceError(
    'config_invalid',
    `This agent folder is already served by ${who} ${where}; its data is in ${dataDir}.`,
    { details: { ...(pid !== undefined && { pid }), ...(address !== undefined && { address }) } },
  );
}

function holderPath(dataDir: string): string {
  return join(dataDir, 'instance.json');
}

function readHolder(dataDir: string): Holder | undefined {
  try {
    return holderSchema.parse(JSON.parse(readFileSync(holderPath(dataDir), 'utf8')));
  } catch {
    // The process that holds the folder has not written its record yet.
    return undefined;
  }
}

/** Writes the file atomically. */
function writeHolder(dataDir: string, holder: Holder): void {
  const draft = `${holderPath(dataDir)}.${holder.id}`;
  try {
    writeFileSync(draft, JSON.stringify(holder), { mode: 0o600 });
    renameSync(draft, holderPath(dataDir));
  } finally {
    rmSync(draft, { force: true });
  }
}

/**
 * Without SQLite: the record of a live process is trusted. Two processes that start at the same time may both pass; the
 * engine locks its database itself and admits one of them.
 */
function requireNoHolder(dataDir: string): void {
  const holder = readHolder(dataDir);
  if (holder !== undefined && processStart(holder.pid) !== undefined) throw inUse(dataDir);
}

/**
 * Locks the file like a database in an exclusive transaction: the operating system releases the lock when the process
 * ends for any reason, on every platform and across containers that share the folder. The file is never removed:
 * otherwise two processes could lock two files of that name. Nothing is ever written into it.
 */
function lockFile(dataDir: string): Database.Database {
  const path = join(dataDir, 'instance.lock');
  try {
    // Readable by this user only. An existing file is not opened: closing it would release a lock of this process.
    closeSync(openSync(path, 'wx', 0o600));
  } catch (cause) {
    if (!isCode(cause, 'EEXIST')) throw notWritable(dataDir, cause);
  }
  let database: Database.Database | undefined;
  try {
    database = new Database(path, { fileMustExist: true, timeout: LOOK_MS });
    // Otherwise SQLite creates a journal file, which fails on a full disk.
    database.pragma('journal_mode = MEMORY');
    database.exec('BEGIN EXCLUSIVE');
    return database;
  } catch (cause) {
    database?.close();
    if (isCode(cause, 'SQLITE_BUSY')) throw inUse(dataDir);
    if (!isCode(cause, 'SQLITE_NOTADB')) throw notWritable(dataDir, cause);
    const sentence = `The file ${path} is not the lock of a service; stop what uses it and remove it.`;
    throw new ServiceError('config_invalid', sentence, { cause });
  }
}

/**
 * Locks the data directory for this process and creates it if necessary. Throws `config_invalid` with a sentence that
 * names the process and address that hold it (`details`: `pid` and `address`, as far as they are known). A killed
 * process releases its lock at once.
 */
export function acquireInstanceLock(dataDir: string): InstanceLock {
  makeFolder(dataDir);
  if (!hasSqlite()) requireNoHolder(dataDir);
  const lock = hasSqlite() ? lockFile(dataDir) : undefined;
  const holder: Holder = { id: randomUUID(), pid: process.pid };
  let isReleased = false;
  const release = (): void => {
    if (isReleased) return;
    isReleased = true;
    rmSync(holderPath(dataDir), { force: true });
    lock?.close();
  };
  try {
    writeHolder(dataDir, holder);
  } catch (cause) {
    release();
    throw notWritable(dataDir, cause);
  }
  return {
    instanceId: holder.id,
    setAddress: (address) => {
      if (!isReleased) writeHolder(dataDir, { ...holder, address });
    },
    release,
  };
}
