import type { Kysely } from 'kysely';
import { hasSqlite, OLDEST_SQLITE_NODE } from '../config/sqlite-runtime.ts';
import { type DatabaseSettings, migrateDatabase, openDurable } from '../database/open-database.ts';
import type { CronLimits } from './limits.ts';
import { type CronTables, migrations } from './schema.ts';
import { SqlCrons } from './sql-crons.ts';

export interface OpenCrons {
  db: Kysely<CronTables>;
  crons: SqlCrons;
}

/** Opens the database with this version's schema; it is created when it does not exist. */
export async function openCronsDatabase(
  database: DatabaseSettings,
  limits: CronLimits,
): Promise<OpenCrons> {
  // It would end the whole process.
  if (database.provider === 'sqlite' && !hasSqlite()) {
    throw new Error(`SQLite needs Node ${OLDEST_SQLITE_NODE} or newer.`);
  }
  const db = await openDurable<CronTables>(database);
  try {
    await migrateDatabase(db, 'crons', migrations);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return { db, crons: new SqlCrons(db, database.provider, limits) };
}
