import type { Kysely } from 'kysely';
import { type DatabaseSettings, openDurable } from '../database/open-database.ts';
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
  const db = await openDurable<AssistantTables>(database, 'assistants', migrations);
  return { db, assistants: new SqlAssistants(db, database.provider, limits) };
}
