import { stat } from 'node:fs/promises';
import type { Driver } from 'kysely';
import {
  CompiledQuery,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { ServiceError } from '../errors/service-error.ts';
import { hasSqlite, OLDEST_SQLITE_NODE } from '../config/sqlite-runtime.ts';
import { BUSY_LIMIT_MS } from './limits.ts';
import type { StoreTables } from './schema.ts';
import type { Failure, SqlSource } from './sql-source.ts';
import { SqliteConnection, SqliteError, THREAD_LOST } from './sqlite-connection.ts';

const busyCodes = /^SQLITE_(BUSY|LOCKED|NOMEM|INTERRUPT)/;
const lostCodes = /^SQLITE_(IOERR|CANTOPEN|READONLY|CORRUPT|NOTADB|PERM|AUTH|PROTOCOL|SCHEMA)/;

/** A SQLite file, created when it does not exist. `busyLimitMs`: how long to wait for another process that writes. */
export function sqliteSource(path: string, busyLimitMs = BUSY_LIMIT_MS): SqlSource {
  return {
    dialect: 'sqlite',
    async open() {
      requireNode();
      const connection = new SqliteConnection(path, busyLimitMs);
      const db = new Kysely<StoreTables>({
        dialect: {
          createAdapter: () => new TransactionalSqliteAdapter(),
          createDriver: () => oneConnection(connection),
          createIntrospector: (kysely) => new SqliteIntrospector(kysely),
          createQueryCompiler: () => new SqliteQueryCompiler(),
        },
      });
      let opened: string | undefined;
      return {
        db,
        vectorSupport: () => Promise.resolve({ comparedBy: 'sqlite-vec' }),
        // A removed file would keep accepting writes that no process reads again.
        async isCurrent() {
          const now = await fileIdentity(path);
          opened ??= now;
          return opened !== undefined && now === opened;
        },
        close: () => connection.close(),
      };
    },
    failureOf,
  };
}

function failureOf(error: unknown): Failure {
  // The thread could not start, or a file could not be created or checked.
  if (!(error instanceof SqliteError)) return isSystemError(error) ? 'lost' : 'unforeseen';
  if (error.code === 'SQLITE_FULL') return 'full';
  if (busyCodes.test(error.code)) return 'busy';
  const isGone = lostCodes.test(error.code) || error.message.startsWith('no such table');
  const isThread = error.code === THREAD_LOST || error.code.startsWith('E');
  return isGone || isThread ? 'lost' : 'unforeseen';
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}

function requireNode(): void {
  if (hasSqlite()) return;
  throw new ServiceError(
    'store_unavailable',
    `The SQLite store needs Node ${OLDEST_SQLITE_NODE} or newer, and this is ${process.versions.node}.`,
  );
}

async function fileIdentity(path: string): Promise<string | undefined> {
  try {
    const { dev, ino } = await stat(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}

/** SQLite can roll back schema changes, and its write lock blocks migrations of other processes. */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** The single connection, used by one transaction or statement at a time. */
function oneConnection(connection: SqliteConnection): Driver {
  let last: Promise<void> = Promise.resolve();
  let release: () => void = () => undefined;
  const run = async (text: string): Promise<void> => {
    await connection.executeQuery(CompiledQuery.raw(text));
  };
  return {
    init: () => Promise.resolve(),
    async acquireConnection() {
      const before = last;
      let done: () => void = () => undefined;
      last = new Promise((resolve) => (done = resolve));
      await before;
      release = done;
      return connection;
    },
    releaseConnection() {
      release();
      return Promise.resolve();
    },
    // Takes the write lock at once: a lock taken later fails without waiting when another process has written.
    beginTransaction: () => run('begin immediate'),
    commitTransaction: () => run('commit'),
    async rollbackTransaction() {
      await run('rollback').catch((error: unknown) => {
        // SQLite has already rolled back because the disk is full; the original error counts.
        if (!String(error).includes('no transaction is active')) throw error;
      });
    },
    destroy: () => connection.close(),
  };
}
