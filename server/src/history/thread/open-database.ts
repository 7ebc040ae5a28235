import { sql } from 'kysely';
import {
  type DatabaseSettings,
  type Dialect,
  openPostgres,
  openSqlite,
  type PostgresConnection,
} from '../../database/open-database.ts';
import { type HistoryDb, type HistoryTables, migrate } from './schema.ts';

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
export async function openDatabase(database: DatabaseSettings): Promise<OpenHistory> {
  const opened =
    database.provider === 'sqlite'
      ? await openFile(database.path)
      : await openServer(database.options);
  try {
    await migrate(opened.db, opened.dialect);
  } catch (error) {
    await opened.close();
    throw error;
  }
  return opened;
}

/** In this thread: it has nothing else to do. The threads are safe elsewhere when a power loss takes the last moments. */
async function openFile(path: string): Promise<OpenHistory> {
  const { db, file } = await openSqlite<HistoryTables>(path, {
    isShrinking: true,
    isFullyDurable: false,
  });
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

async function openServer(connection: PostgresConnection): Promise<OpenHistory> {
  const db = await openPostgres<HistoryTables>(connection);
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
