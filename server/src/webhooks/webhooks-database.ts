import type { Kysely } from 'kysely';
import { hasSqlite, OLDEST_SQLITE_NODE } from '../config/sqlite-runtime.ts';
import { type DatabaseSettings, migrateDatabase, openDurable } from '../database/open-database.ts';
import { migrations, type WebhookTables } from './schema.ts';
import { SqlOutbox } from './sql-outbox.ts';

export interface OpenWebhooks {
  db: Kysely<WebhookTables>;
  outbox: SqlOutbox;
}

/** Opens the database with this version's schema; it is created when it does not exist. */
export async function openWebhooksDatabase(
  database: DatabaseSettings,
  limit: number,
): Promise<OpenWebhooks> {
  // It would end the whole process.
  if (database.provider === 'sqlite' && !hasSqlite()) {
    throw new Error(`SQLite needs Node ${OLDEST_SQLITE_NODE} or newer.`);
  }
  const db = await openDurable<WebhookTables>(database);
  try {
    await migrateDatabase(db, 'webhooks', migrations);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return { db, outbox: new SqlOutbox(db, limit) };
}
