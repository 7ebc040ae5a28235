import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { BigInteger, NullableBigInteger } from '../database/open-database.ts';

export interface CronTables {
  crons: {
    cron_id: string;
    /** JSON: who made it. */
    principal: string;
    assistant_id: string;
    thread_id: string | null;
    on_run_completed: string | null;
    schedule: string;
    timezone: string | null;
    end_time: NullableBigInteger;
    /** 0 or 1. */
    is_enabled: number;
    /** JSON objects. */
    metadata: string;
    payload: string;
    created_at: BigInteger;
    updated_at: BigInteger;
    /** Null: never again. */
    next_at: NullableBigInteger;
  };
}

/** In their order. A released migration is never changed. */
export const migrations: Record<string, Migration> = {
  '0001-crons': {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable('crons')
        .addColumn('cron_id', 'text', (column) => column.primaryKey())
        .addColumn('principal', 'text', (column) => column.notNull())
        .addColumn('assistant_id', 'text', (column) => column.notNull())
        .addColumn('thread_id', 'text')
        .addColumn('on_run_completed', 'text')
        .addColumn('schedule', 'text', (column) => column.notNull())
        .addColumn('timezone', 'text')
        .addColumn('end_time', 'bigint')
        .addColumn('is_enabled', 'integer', (column) => column.notNull())
        .addColumn('metadata', 'text', (column) => column.notNull())
        .addColumn('payload', 'text', (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('updated_at', 'bigint', (column) => column.notNull())
        .addColumn('next_at', 'bigint')
        .execute();
      await db.schema.createIndex('crons_next_at').on('crons').column('next_at').execute();
    },
  },
};
