/**
 * PostgreSQL with pgvector, compiled to WebAssembly: machines for tests have a server without it. It takes seconds to
 * start.
 * @module-tag release
 */
import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import { Kysely, PGliteDialect } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeStoreRanking } from '../../test/conformance/store-ranking.ts';
import { pgvectorSupport } from './postgres-source.ts';
import type { StoreTables } from './schema.ts';
import type { SqlSource } from './sql-source.ts';
import { SqlStore } from './sql-store.ts';

let pglite: PGlite;
// Compiles a whole PostgreSQL to machine code: 1 s on an idle machine, and more than 10 s on a busy one.
beforeAll(async () => {
  pglite = await PGlite.create({ extensions: { vector } });
}, 60_000);
afterAll(() => pglite.close());

function openDatabase(): Kysely<StoreTables> {
  return new Kysely<StoreTables>({ dialect: new PGliteDialect({ pglite }) });
}

describeStoreRanking('PostgreSQL with pgvector', async () => {
  const source: SqlSource = {
    dialect: 'postgresql',
    open() {
      const db = openDatabase();
      let support: ReturnType<typeof pgvectorSupport> | undefined;
      return Promise.resolve({
        db,
        vectorSupport: () => (support ??= pgvectorSupport(db)),
        isCurrent: () => Promise.resolve(true),
        close: () => Promise.resolve(),
      });
    },
    failureOf: () => 'unforeseen',
  };
  const port = new SqlStore(source);
  return { port, close: () => port.close() };
});

it('finds pgvector in whatever schema it is', async () => {
  const support = { comparedBy: 'pgvector', schema: 'public' };
  expect(await pgvectorSupport(openDatabase())).toEqual(support);
  await pglite.exec('drop extension vector; create schema elsewhere');
  await pglite.exec('create extension vector schema elsewhere');
  expect(await pgvectorSupport(openDatabase())).toEqual({ ...support, schema: 'elsewhere' });
});
