import type { Kysely } from 'kysely';
import { hasSqlite, OLDEST_SQLITE_NODE } from '../config/sqlite-runtime.ts';
import { type DatabaseSettings, migrateDatabase, openDurable } from '../database/open-database.ts';
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
  // It would end the whole process.
  if (database.provider === 'sqlite' && !hasSqlite()) {
    throw new Error(`SQLite needs Node ${OLDEST_SQLITE_NODE} or newer.`);
  }
  const db = await openDurable<AssistantTables>(database);
  try {
    await migrateDatabase(db, 'assistants', migrations);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return { db, assistants: new SqlAssistants(db, database.provider, limits) };
}
