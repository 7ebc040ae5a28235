import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { BigInteger } from '../database/open-database.ts';

export interface AssistantTables {
  assistants: {
    assistant_id: string;
    owner: string;
    /** The current one. */
    version: number;
    /** The newest one. */
    last_version: number;
    created_at: BigInteger;
    updated_at: BigInteger;
  };
  assistant_versions: {
    assistant_id: string;
    version: number;
    agent_id: string;
    name: string;
    description: string | null;
    /** JSON objects. */
    config: string;
    context: string;
    metadata: string;
    created_at: BigInteger;
  };
}

/** In their order. A released migration is never changed. */
export const migrations: Record<string, Migration> = {
  '0001-assistants': {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable('assistants')
        .addColumn('assistant_id', 'text', (column) => column.primaryKey())
        .addColumn('owner', 'text', (column) => column.notNull())
        .addColumn('version', 'integer', (column) => column.notNull())
        .addColumn('last_version', 'integer', (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('updated_at', 'bigint', (column) => column.notNull())
        .execute();
      await db.schema
        .createTable('assistant_versions')
        .addColumn('assistant_id', 'text', (column) =>
          column.notNull().references('assistants.assistant_id').onDelete('cascade'),
        )
        .addColumn('version', 'integer', (column) => column.notNull())
        .addColumn('agent_id', 'text', (column) => column.notNull())
        .addColumn('name', 'text', (column) => column.notNull())
        .addColumn('description', 'text')
        .addColumn('config', 'text', (column) => column.notNull())
        .addColumn('context', 'text', (column) => column.notNull())
        .addColumn('metadata', 'text', (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('assistant_versions_key', ['assistant_id', 'version'])
        .execute();
    },
  },
};
