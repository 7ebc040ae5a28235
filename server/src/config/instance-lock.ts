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

/** Another one that starts looks at the lock for a moment before it takes it; one that holds it does so for good. */
const LOOK_MS = 500;

const holderSchema = z.object({
  id: z.string(),
  pid: z.int(),
  address: z.exactOptional(z.string()),
});
type Holder = z.output<typeof holderSchema>;

/** The right to use a data directory, held by this process until it releases it or is gone. */
export interface InstanceLock {
  /** Names this instance: the identity of its worker. */
  readonly instanceId: string;
  /** Lets the next one that asks know where this instance listens. */
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

/** Says who holds the folder, as far as that one has said it. */
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
    // It holds the folder and has not said yet who it is.
    return undefined;
  }
}

/** Appears with its whole content or not at all. */
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
 * Where SQLite cannot be used: a live process that says it holds the folder is believed. Two that start at the same
 * moment may both pass; the engine locks its database itself and lets one of them in.
 */
function requireNoHolder(dataDir: string): void {
  const holder = readHolder(dataDir);
  if (holder !== undefined && processStart(holder.pid) !== undefined) throw inUse(dataDir);
}

/**
 * Locks the file as SQLite locks a database in an exclusive transaction: the operating system lets go of it when the
 * process ends, however it ends, on every platform and across containers that share the folder. The file stays for
 * good: whoever removes it lets two processes lock two files of that name. Nothing is ever written into it.
 */
function lockFile(dataDir: string): Database.Database {
  const path = join(dataDir, 'instance.lock');
  try {
    // For this user alone. One that is there is not opened: closing it would let go of a lock of this process.
    closeSync(openSync(path, 'wx', 0o600));
  } catch (cause) {
    if (!isCode(cause, 'EEXIST')) throw notWritable(dataDir, cause);
  }
  let database: Database.Database | undefined;
  try {
    database = new Database(path, { fileMustExist: true, timeout: LOOK_MS });
    // Without it SQLite makes a journal beside the file, which a full disk refuses.
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
 * Takes the data directory for this process, making it when it is missing. Throws `config_invalid` with a sentence that
 * says which process and address hold it (`details`: `pid` and `address`, as far as they are known). What a killed
 * process held is free at once.
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
