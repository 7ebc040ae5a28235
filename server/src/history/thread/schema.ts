import { type ColumnType, type Generated, type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { type BigInteger, type Dialect, migrateDatabase } from '../../database/open-database.ts';

type NullableBigInteger = ColumnType<number | string | null, number | null, number | null>;

/** The tables, the same in both databases but for the index of texts. */
export interface HistoryTables {
  history_runs: {
    id: Generated<number>;
    run_id: string;
    thread_id: string;
    run_uuid: string;
    agent_id: string;
    agent_version: string | null;
    status: string;
    sub: string | null;
    created_at: BigInteger;
    begun_at: NullableBigInteger;
    first_token_at: NullableBigInteger;
    ended_at: NullableBigInteger;
    activity_at: BigInteger;
    duration_ms: NullableBigInteger;
    attempts: number;
    ended_attempt: number;
    error_code: string | null;
    /** A RunError as JSON. */
    error: string | null;
    /** `input`, `command` or `proceed`. */
    start_kind: string;
    input: string | null;
    /** Of the whole JSON, where only its beginning is kept. */
    input_bytes: number | null;
    input_preview: string | null;
    output: string | null;
    output_bytes: number | null;
    output_preview: string | null;
    /** A JSON object. */
    metadata: string;
    input_tokens: BigInteger;
    output_tokens: BigInteger;
    total_tokens: BigInteger;
    cost: number | null;
    is_incomplete: number;
    /** What the run takes, roughly. */
    bytes: BigInteger;
  };
  /** Spans and output lines of runs, in the order in which they were written: a later span of an id replaces it. */
  history_parts: {
    run: number;
    seq: BigInteger;
    kind: 'spans' | 'lines';
    /** A JSON list. */
    data: string;
  };
  /** Threads that lists show. */
  history_threads: { thread_id: string; title: string | null; activity_at: BigInteger };
  /** PostgreSQL only. */
  history_texts: { run: number; document: unknown };
}

export type HistoryDb = Kysely<HistoryTables>;

/** In their order. A released migration is never changed. */
function migrationsOf(dialect: Dialect): Record<string, Migration> {
  return {
    '0001-runs': {
      async up(db: Kysely<unknown>) {
        await createRuns(db, dialect);
        await createParts(db);
        await createThreads(db);
        await (dialect === 'sqlite' ? createSqliteTexts(db) : createPostgresTexts(db));
      },
    },
    '0002-run-uuids': {
      async up(db: Kysely<unknown>) {
        const index = db.schema.createIndex('history_runs_uuid').on('history_runs');
        await index.column('run_uuid').execute();
      },
    },
  };
}

async function createRuns(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  const id = dialect === 'sqlite' ? sql`integer` : sql`bigserial`;
  await db.schema
    .createTable('history_runs')
    .addColumn('id', id, (column) => column.primaryKey())
    .addColumn('run_id', 'text', (column) => column.notNull().unique())
    .addColumn('thread_id', 'text', (column) => column.notNull())
    .addColumn('run_uuid', 'text', (column) => column.notNull())
    .addColumn('agent_id', 'text', (column) => column.notNull())
    .addColumn('agent_version', 'text')
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('sub', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('begun_at', 'bigint')
    .addColumn('first_token_at', 'bigint')
    .addColumn('ended_at', 'bigint')
    .addColumn('activity_at', 'bigint', (column) => column.notNull())
    .addColumn('duration_ms', 'bigint')
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('ended_attempt', 'integer', (column) => column.notNull())
    .addColumn('error_code', 'text')
    .addColumn('error', 'text')
    .addColumn('start_kind', 'text', (column) => column.notNull())
    .addColumn('input', 'text')
    .addColumn('input_bytes', 'integer')
    .addColumn('input_preview', 'text')
    .addColumn('output', 'text')
    .addColumn('output_bytes', 'integer')
    .addColumn('output_preview', 'text')
    .addColumn('metadata', 'text', (column) => column.notNull())
    .addColumn('input_tokens', 'bigint', (column) => column.notNull())
    .addColumn('output_tokens', 'bigint', (column) => column.notNull())
    .addColumn('total_tokens', 'bigint', (column) => column.notNull())
    .addColumn('cost', 'double precision')
    .addColumn('is_incomplete', 'integer', (column) => column.notNull())
    .addColumn('bytes', 'bigint', (column) => column.notNull())
    .execute();
  const orders = [
    ['activity', ['activity_at', 'id']],
    ['status', ['status', 'activity_at', 'id']],
    ['agent', ['agent_id', 'activity_at', 'id']],
    ['agent_status', ['agent_id', 'status', 'activity_at', 'id']],
    ['thread', ['thread_id', 'activity_at', 'id']],
    // Covers the figures over time.
    ['created', figureColumns],
  ] as const;
  for (const [name, columns] of orders) {
    await db.schema
      .createIndex(`history_runs_${name}`)
      .on('history_runs')
      .columns([...columns])
      .execute();
  }
  await db.schema
    .createIndex('history_runs_error')
    .on('history_runs')
    .columns(['error_code', 'activity_at', 'id'])
    .where(sql.ref('error_code'), 'is not', null)
    .execute();
}

/** The columns that figures are computed from. */
const figureColumns = [
  ...['created_at', 'agent_id', 'status', 'duration_ms'],
  ...['input_tokens', 'output_tokens', 'total_tokens', 'cost'],
] as const;

async function createParts(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('history_parts')
    .addColumn('run', 'bigint', (column) =>
      column.notNull().references('history_runs.id').onDelete('cascade'),
    )
    .addColumn('seq', 'bigint', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('data', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('history_parts_key', ['run', 'seq'])
    .execute();
}

async function createThreads(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('history_threads')
    .addColumn('thread_id', 'text', (column) => column.primaryKey())
    .addColumn('title', 'text')
    .addColumn('activity_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('history_threads_activity')
    .on('history_threads')
    .columns(['activity_at', 'thread_id'])
    .execute();
}

/** The index alone, without a second copy of the texts. */
async function createSqliteTexts(db: Kysely<unknown>): Promise<void> {
  await sql`create virtual table history_text using fts5(
    input, output, error, messages,
    content='', contentless_delete=1, prefix='1 2 3',
    tokenize='unicode61 remove_diacritics 2')`.execute(db);
  // Removing many rows would otherwise merge the index again for each of them.
  await sql`insert into history_text(history_text, rank) values('deletemerge', 0)`.execute(db);
  await sql`create trigger history_runs_text after delete on history_runs begin
    delete from history_text where rowid = old.id;
  end`.execute(db);
}

async function createPostgresTexts(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('history_texts')
    .addColumn('run', 'bigint', (column) =>
      column.primaryKey().references('history_runs.id').onDelete('cascade'),
    )
    .addColumn('document', sql`tsvector`, (column) => column.notNull())
    .execute();
  await sql`create index history_texts_document on history_texts using gin (document)`.execute(db);
}

/** Migrates the database to this version's schema. */
export function migrate(db: HistoryDb, dialect: Dialect): Promise<void> {
  return migrateDatabase(db, 'history', migrationsOf(dialect));
}
