import type { Kysely } from 'kysely';
import { type DatabaseSettings, openDurable } from '../database/open-database.ts';
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
  const db = await openDurable<WebhookTables>(database, 'webhooks', migrations);
  return { db, outbox: new SqlOutbox(db, limit) };
}
