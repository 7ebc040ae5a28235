/*
 * The two kinds of databases in which the service keeps rows, with the same SQL by kysely: the run history, and
 * assistants, crons and webhooks. The store has its own, which is tuned for the agents' reads.
 */
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Database as SqliteFile } from 'better-sqlite3';
import { type ColumnType, Kysely, SqliteDialect } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { hasSqlite, OLDEST_SQLITE_NODE } from '../config/sqlite-runtime.ts';

export type Dialect = 'sqlite' | 'postgresql';

/** How long SQLite waits for another process that writes. */
const BUSY_LIMIT_MS = 2_000;

/** How long PostgreSQL may take to be reached, and for a statement. */
const CONNECT_LIMIT_MS = 3_000;
const STATEMENT_LIMIT_MS = 10_000;

/** Connections to PostgreSQL: writes come one after the other. */
const MAX_CONNECTIONS = 3;

export interface SqliteOptions {
  /** Before the first table is made: freed pages can be given back. */
  isShrinking?: boolean;
  /** A loss of power loses nothing that was acknowledged; otherwise maybe the last moments. */
  isFullyDurable: boolean;
}

/** Opens a file in this thread; it is created when it does not exist, readable by this user only. */
export async function openSqlite<Tables>(
  path: string,
  { isShrinking = false, isFullyDurable }: SqliteOptions,
): Promise<{ db: Kysely<Tables>; file: SqliteFile }> {
  const { default: Database } = await import('better-sqlite3');
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // SQLite gives its companion files the same mode.
  closeSync(openSync(path, 'a', 0o600));
  const file = new Database(path, { timeout: BUSY_LIMIT_MS });
  if (isShrinking) file.pragma('auto_vacuum = INCREMENTAL');
  file.pragma('journal_mode = WAL');
  file.pragma(`synchronous = ${isFullyDurable ? 'FULL' : 'NORMAL'}`);
  file.pragma('foreign_keys = ON');
  return { file, db: new Kysely<Tables>({ dialect: new SqliteDialect({ database: file }) }) };
}

/** `ssl`: as `store/postgres-options.ts` made it. */
export interface PostgresConnection {
  connectionString: string;
  ssl: unknown;
}

/** Connections are made when they are needed. */
export async function openPostgres<Tables>({
  connectionString,
  ssl,
}: PostgresConnection): Promise<Kysely<Tables>> {
  const [{ PostgresDialect }, { default: pg }] = await Promise.all([
    import('kysely'),
    import('pg'),
  ]);
  const pool = new pg.Pool({
    ...{ connectionString, ssl: ssl as false | object, max: MAX_CONNECTIONS },
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
    query_timeout: STATEMENT_LIMIT_MS,
    statement_timeout: STATEMENT_LIMIT_MS,
  });
  pool.on('error', () => undefined); // the statement that needs the connection fails
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
}

/** Where rows are kept. */
export type DatabaseSettings =
  { provider: 'sqlite'; path: string } | { provider: 'postgresql'; options: PostgresConnection };

/** PostgreSQL returns big integers as text. */
export type BigInteger = ColumnType<number | string, number, number>;
export type NullableBigInteger = ColumnType<number | string | null, number | null, number | null>;

/** Migrates a database to this version's schema. Several services may do so at the same time. */
export async function migrateDatabase<Tables>(
  db: Kysely<Tables>,
  name: string,
  migrations: Record<string, Migration>,
): Promise<void> {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: () => Promise.resolve(migrations) },
    migrationTableName: `${name}_migrations`,
    migrationLockTableName: `${name}_migrations_lock`,
  });
  const { error } = await migrator.migrateToLatest();
  if (error instanceof Error) throw error;
}

/**
 * Opens a database whose rows are few and precious, with this version's schema: nothing that was acknowledged is lost. It
 * is created when it does not exist.
 */
export async function openDurable<Tables>(
  database: DatabaseSettings,
  name: string,
  migrations: Record<string, Migration>,
): Promise<Kysely<Tables>> {
  const db = await opened<Tables>(database);
  try {
    await migrateDatabase(db, name, migrations);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return db;
}

async function opened<Tables>(database: DatabaseSettings): Promise<Kysely<Tables>> {
  if (database.provider === 'postgresql') return openPostgres(database.options);
  // It would end the whole process.
  if (!hasSqlite()) throw new Error(`SQLite needs Node ${OLDEST_SQLITE_NODE} or newer.`);
  const { db } = await openSqlite<Tables>(database.path, { isFullyDurable: true });
  return db;
}
