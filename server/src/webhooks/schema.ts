import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { BigInteger, NullableBigInteger } from '../database/open-database.ts';

export interface WebhookTables {
  webhooks: {
    webhook_id: string;
    thread_id: string;
    run_uuid: string;
    url: string;
    /** JSON: who made the run. */
    principal: string;
    created_at: BigInteger;
    tries: number;
    tried_at: NullableBigInteger;
    next_at: BigInteger;
  };
}

/** In their order. A released migration is never changed. */
export const migrations: Record<string, Migration> = {
  '0001-webhooks': {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable('webhooks')
        .addColumn('webhook_id', 'text', (column) => column.primaryKey())
        .addColumn('thread_id', 'text', (column) => column.notNull())
        .addColumn('run_uuid', 'text', (column) => column.notNull())
        .addColumn('url', 'text', (column) => column.notNull())
        .addColumn('principal', 'text', (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('tries', 'integer', (column) => column.notNull())
        .addColumn('tried_at', 'bigint')
        .addColumn('next_at', 'bigint', (column) => column.notNull())
        .addUniqueConstraint('webhooks_run', ['thread_id', 'run_uuid'])
        .execute();
      await db.schema.createIndex('webhooks_next_at').on('webhooks').column('next_at').execute();
    },
  },
};
