import type { Kysely } from 'kysely';
import { hasSqlite, OLDEST_SQLITE_NODE } from '../config/sqlite-runtime.ts';
import {
  type DatabaseSettings,
  migrateDatabase,
  openPostgres,
  openSqlite,
} from '../database/open-database.ts';
import type { AssistantLimits } from './limits.ts';
import { type AssistantTables, migrations } from './schema.ts';
import { SqlAssistants } from './sql-assistants.ts';

export interface OpenAssistants {
  db: Kysely<AssistantTables>;
  assistants: SqlAssistants;
}

/** Opens the database with this version's schema; it is created when it does not exist. */
export async function openAssistantsDatabase(
  database: DatabaseSettings,
  limits: AssistantLimits,
): Promise<OpenAssistants> {
  const db = await dbOf(database);
  try {
    await migrateDatabase(db, 'assistants', migrations);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return { db, assistants: new SqlAssistants(db, database.provider, limits) };
}

async function dbOf(database: DatabaseSettings): Promise<Kysely<AssistantTables>> {
  if (database.provider === 'postgresql') return openPostgres(database.options);
  // It would end the whole process.
  if (!hasSqlite()) throw new Error(`SQLite needs Node ${OLDEST_SQLITE_NODE} or newer.`);
  const { db } = await openSqlite<AssistantTables>(database.path, { isFullyDurable: true });
  return db;
}
