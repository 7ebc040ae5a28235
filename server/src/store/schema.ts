import type { ColumnType, Kysely } from 'kysely';
import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { Migrator } from 'kysely/migration';

/** PostgreSQL returns big integers as text. */
type BigInteger = ColumnType<number | string, number, number>;

type NullableBigInteger = ColumnType<number | string | null, number | null, number | null>;

/** The tables, the same in both databases. */
export interface StoreTables {
  store_items: {
    /** As store/key-columns.ts writes it. */
    namespace: string;
    key: string;
    /** JSON, as it was put. */
    value: string;
    value_bytes: number;
    /** A JSON object, as it was put. */
    metadata: string;
    owner: string;
    created_at: BigInteger;
    updated_at: BigInteger;
    /** Lifetime after a put or a refreshing read. */
    ttl_ms: NullableBigInteger;
    /** The item counts as deleted from this timestamp on. */
    expires_at: NullableBigInteger;
    /** JSON of the put's `index`; null: the fields of the index. */
    index_paths: string | null;
    /** The index that its vectors belong to; null: it has not been embedded. */
    indexed_by: string | null;
  };
  /** Search tags of items: see store/item-row.ts. */
  store_item_tags: { namespace: string; key: string; tag: string };
  /** Vectors of items for searches by meaning: see store/vectors.ts. */
  store_item_vectors: { namespace: string; key: string; path: string; embedding: unknown };
}

export type StoreDatabase = Kysely<StoreTables>;
export type Dialect = 'sqlite' | 'postgresql';

/** Text compares by code points in every locale of the database. */
function textType(dialect: Dialect) {
  return dialect === 'postgresql' ? sql`text collate "C"` : sql`text collate binary`;
}

/** In their order. A released migration is never changed. */
function migrationsOf(dialect: Dialect): Record<string, Migration> {
  const text = textType(dialect);
  return {
    '0001-items': {
      async up(db: Kysely<unknown>) {
        await db.schema
          .createTable('store_items')
          .addColumn('namespace', text, (column) => column.notNull())
          .addColumn('key', text, (column) => column.notNull())
          .addColumn('value', 'text', (column) => column.notNull())
          .addColumn('value_bytes', 'integer', (column) => column.notNull())
          .addColumn('metadata', 'text', (column) => column.notNull())
          .addColumn('owner', 'text', (column) => column.notNull())
          .addColumn('created_at', 'bigint', (column) => column.notNull())
          .addColumn('updated_at', 'bigint', (column) => column.notNull())
          .addPrimaryKeyConstraint('store_items_place', ['namespace', 'key'])
          .execute();
        await db.schema
          .createTable('store_item_tags')
          .addColumn('namespace', text, (column) => column.notNull())
          .addColumn('key', text, (column) => column.notNull())
          .addColumn('tag', text, (column) => column.notNull())
          .addPrimaryKeyConstraint('store_item_tags_place', ['namespace', 'key', 'tag'])
          .addForeignKeyConstraint(
            'store_item_tags_item',
            ['namespace', 'key'],
            'store_items',
            ['namespace', 'key'],
            (constraint) => constraint.onDelete('cascade'),
          )
          .execute();
        await db.schema
          .createIndex('store_item_tags_tag')
          .on('store_item_tags')
          .columns(['tag', 'namespace', 'key'])
          .execute();
      },
    },
    '0002-expiry-and-vectors': {
      async up(db: Kysely<unknown>) {
        // SQLite adds one column at a time.
        for (const [name, type] of [
          ['ttl_ms', 'bigint'],
          ['expires_at', 'bigint'],
          ['index_paths', 'text'],
          ['indexed_by', 'text'],
        ] as const) {
          await db.schema.alterTable('store_items').addColumn(name, type).execute();
        }
        await db.schema
          .createIndex('store_items_expires_at')
          .on('store_items')
          .column('expires_at')
          .where(sql.ref('expires_at'), 'is not', null)
          .execute();
        await db.schema
          .createTable('store_item_vectors')
          .addColumn('namespace', text, (column) => column.notNull())
          .addColumn('key', text, (column) => column.notNull())
          .addColumn('path', text, (column) => column.notNull())
          // A built-in type of PostgreSQL, so that the schema is the same with and without pgvector.
          .addColumn('embedding', dialect === 'postgresql' ? sql`real[]` : 'blob', (column) =>
            column.notNull(),
          )
          .addPrimaryKeyConstraint('store_item_vectors_place', ['namespace', 'key', 'path'])
          .addForeignKeyConstraint(
            'store_item_vectors_item',
            ['namespace', 'key'],
            'store_items',
            ['namespace', 'key'],
            (constraint) => constraint.onDelete('cascade'),
          )
          .execute();
      },
    },
  };
}

/** Migrates the database to this version's schema. Several services may do so at the same time. */
export async function migrate(db: StoreDatabase, dialect: Dialect): Promise<void> {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: () => Promise.resolve(migrationsOf(dialect)) },
    migrationTableName: 'store_migrations',
    migrationLockTableName: 'store_migrations_lock',
  });
  const { error } = await migrator.migrateToLatest();
  if (error instanceof Error) throw error;
}
