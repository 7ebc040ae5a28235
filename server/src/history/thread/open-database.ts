import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { Kysely, sql, SqliteDialect } from 'kysely';
import type { HistoryDatabase } from '../protocol.ts';
import { type Dialect, type HistoryDb, type HistoryTables, migrate } from './schema.ts';

/** How long SQLite waits for another process that writes. */
const BUSY_LIMIT_MS = 2_000;

/** How long PostgreSQL may take to be reached, and for a statement. */
const CONNECT_LIMIT_MS = 3_000;
const STATEMENT_LIMIT_MS = 10_000;

/** Connections to PostgreSQL: writes come one after the other. */
const MAX_CONNECTIONS = 3;

/** The open database of the history. */
export interface OpenHistory {
  db: HistoryDb;
  dialect: Dialect;
  /** What the history takes. */
  usedBytes(): Promise<number>;
  /** Gives space that was freed back to the file system. */
  shrink(): Promise<void>;
  close(): Promise<void>;
}

/** Opens the database with this version's schema; it is created when it does not exist. */
export async function openDatabase(database: HistoryDatabase): Promise<OpenHistory> {
  const opened =
    database.provider === 'sqlite'
      ? await openSqlite(database.path)
      : await openPostgres(database.options);
  try {
    await migrate(opened.db, opened.dialect);
  } catch (error) {
    await opened.close();
    throw error;
  }
  return opened;
}

/** In this thread: it has nothing else to do. */
async function openSqlite(path: string): Promise<OpenHistory> {
  const { default: Database } = await import('better-sqlite3');
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // Readable by this user only; SQLite gives its companion files the same mode.
  closeSync(openSync(path, 'a', 0o600));
  const file = new Database(path, { timeout: BUSY_LIMIT_MS });
  file.pragma('auto_vacuum = INCREMENTAL');
  file.pragma('journal_mode = WAL');
  // A loss of power may lose the last moments of the history; the threads are safe elsewhere.
  file.pragma('synchronous = NORMAL');
  file.pragma('foreign_keys = ON');
  const db = new Kysely<HistoryTables>({ dialect: new SqliteDialect({ database: file }) });
  const pragma = (name: string): number => Number(file.pragma(name, { simple: true }));
  return {
    db,
    dialect: 'sqlite',
    usedBytes: async () => (pragma('page_count') - pragma('freelist_count')) * pragma('page_size'),
    async shrink() {
      file.pragma('incremental_vacuum');
      file.pragma('wal_checkpoint(TRUNCATE)');
    },
    close: () => db.destroy(),
  };
}

async function openPostgres(options: {
  connectionString: string;
  ssl: unknown;
}): Promise<OpenHistory> {
  const [{ PostgresDialect }, { default: pg }] = await Promise.all([
    import('kysely'),
    import('pg'),
  ]);
  const { connectionString } = options;
  const ssl = options.ssl as false | object; // as store/postgres-options.ts made it
  const pool = new pg.Pool({
    ...{ connectionString, ssl, max: MAX_CONNECTIONS },
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
    query_timeout: STATEMENT_LIMIT_MS,
    statement_timeout: STATEMENT_LIMIT_MS,
  });
  pool.on('error', () => undefined); // the statement that needs the connection fails
  const db = new Kysely<HistoryTables>({ dialect: new PostgresDialect({ pool }) });
  return {
    db,
    dialect: 'postgresql',
    async usedBytes() {
      const { rows } = await sql<{ bytes: string | null }>`
        select sum(bytes) as bytes from history_runs`.execute(db);
      return Number(rows[0]?.bytes ?? 0);
    },
    shrink: () => Promise.resolve(), // autovacuum does
    close: () => db.destroy(),
  };
}
