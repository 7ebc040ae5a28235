import { sql } from 'kysely';
import type { StoreDatabase } from './schema.ts';
import type { VectorSupport } from './sql-source.ts';

/** pgvector where the database has it or lets us have it; otherwise vectors are compared in this process. */
export async function pgvectorSupport(db: StoreDatabase): Promise<VectorSupport> {
  const known = await extensionSchema(db);
  if (known !== undefined) return { comparedBy: 'pgvector', schema: known };
  try {
    await sql`create extension if not exists vector`.execute(db);
  } catch {
    return { comparedBy: 'process' }; // the server does not have it, or this user may not
  }
  const schema = await extensionSchema(db);
  return schema === undefined ? { comparedBy: 'process' } : { comparedBy: 'pgvector', schema };
}

async function extensionSchema(db: StoreDatabase): Promise<string | undefined> {
  const { rows } = await sql<{ schema: string }>`
    select nspname as schema from pg_extension
    join pg_namespace on pg_namespace.oid = extnamespace where extname = 'vector'`.execute(db);
  return rows[0]?.schema;
}
