import { randomUUID } from 'node:crypto';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { ServiceError } from '../errors/service-error.ts';
import { processStart } from './process-identity.ts';

const holderSchema = z.object({
  id: z.string(),
  pid: z.int(),
  start: z.string(),
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

function readHolder(path: string): Holder | undefined {
  try {
    return holderSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    // Gone between two looks, or cut off by a full disk: nobody holds it.
    if (isCode(error, 'ENOENT') || error instanceof SyntaxError) return undefined;
    if (error instanceof z.ZodError) return undefined;
    throw error;
  }
}

function isHeld(holder: Holder): boolean {
  const start = processStart(holder.pid);
  return start !== undefined && (start === holder.start || start === '' || holder.start === '');
}

/** Moves a stale lock aside; a fresh one that came in between is put back. */
function removeStale(path: string, stale: Holder | undefined): void {
  const aside = `${path}.${randomUUID()}`;
  try {
    renameSync(path, aside);
    if (readHolder(aside)?.id !== stale?.id) linkSync(aside, path);
  } catch (error) {
    if (!isCode(error, 'ENOENT') && !isCode(error, 'EEXIST')) throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

function inUse(dataDir: string, holder: Holder): ServiceError {
  const where = holder.address === undefined ? 'which is starting' : `at ${holder.address}`;
  return new ServiceError(
    'config_invalid',
    `This agent folder is already served by process ${holder.pid} ${where}; its data is in ${dataDir}.`,
    { details: { pid: holder.pid, ...(holder.address ? { address: holder.address } : {}) } },
  );
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

/**
 * Takes the data directory for this process, making it when it is missing. Rejects with a sentence that
 * says which process and address hold it. A lock left by a killed process is taken over: it names the
 * process by id and start, so a reused id does not count.
 */
export function acquireInstanceLock(dataDir: string): InstanceLock {
  makeFolder(dataDir);
  const path = join(dataDir, 'instance.lock');
  const holder: Holder = {
    id: randomUUID(),
    pid: process.pid,
    start: processStart(process.pid) ?? '',
  };
  const draft = `${path}.${holder.id}`;
  const publish = (content: Holder, place: (from: string, to: string) => void): void => {
    try {
      writeFileSync(draft, JSON.stringify(content), { mode: 0o600 });
      place(draft, path);
    } finally {
      rmSync(draft, { force: true });
    }
  };

  for (;;) {
    try {
      // A hard link appears with its whole content or not at all, and only one can.
      publish(holder, linkSync);
      break;
    } catch (error) {
      if (!isCode(error, 'EEXIST')) {
        const sentence = `The data directory ${dataDir} cannot be written; name another with --data-dir.`;
        throw new ServiceError('config_invalid', sentence, { cause: error });
      }
    }
    const other = readHolder(path);
    if (other !== undefined && isHeld(other)) throw inUse(dataDir, other);
    removeStale(path, other);
  }

  let isReleased = false;
  return {
    instanceId: holder.id,
    setAddress: (url) => {
      if (!isReleased) publish({ ...holder, address: url }, renameSync);
    },
    release: () => {
      if (isReleased) return;
      isReleased = true;
      if (readHolder(path)?.id === holder.id) unlinkSync(path);
    },
  };
}
