import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { withTimeLimit } from '../concurrency/concurrency.ts';
import {
  CLOSE_LIMIT_MS,
  CONNECT_LIMIT_MS,
  MAX_CONNECTIONS,
  STATEMENT_LIMIT_MS,
  TURN_LIMIT_MS,
} from './limits.ts';
import type { PostgresOptions } from './postgres-options.ts';
import type { StoreDatabase, StoreTables } from './schema.ts';
import type { Failure, SqlSource, VectorSupport } from './sql-source.ts';
import { NoTurn, Turns } from './turns.ts';

/** The server stops a statement first; this limit is for a server that does not respond at all. */
const ANSWER_LIMIT_MS = STATEMENT_LIMIT_MS + 1_000;

const IDLE_MS = 30_000;

/** A PostgreSQL server. */
export function postgresSource(options: PostgresOptions): SqlSource {
  return {
    dialect: 'postgresql',
    async open() {
      const pool = new pg.Pool({
        ...options,
        max: MAX_CONNECTIONS,
        connectionTimeoutMillis: CONNECT_LIMIT_MS,
        statement_timeout: STATEMENT_LIMIT_MS,
        query_timeout: ANSWER_LIMIT_MS,
        idle_in_transaction_session_timeout: 2 * STATEMENT_LIMIT_MS,
        idleTimeoutMillis: IDLE_MS,
        keepAlive: true,
        application_name: 'agent-runtime',
      });
      // An idle connection that breaks is replaced when the next one is needed.
      pool.on('error', () => undefined);
      // One that breaks in use fails its statement. It also emits an event, which would end the process without a
      // listener.
      pool.on('connect', (client) => client.on('error', () => undefined));
      // The pool's own limit is for a new connection: a burst on a healthy server must not look like a lost server.
      const turns = new Turns(MAX_CONNECTIONS, TURN_LIMIT_MS);
      pool.on('release', () => turns.give());
      const dialect = new PostgresDialect({
        pool: {
          options: pool.options,
          end: () => pool.end(),
          async connect() {
            await turns.take();
            try {
              return await pool.connect();
            } catch (error) {
              turns.give();
              throw error;
            }
          },
        },
      });
      const db = new Kysely<StoreTables>({ dialect });
      let support: Promise<VectorSupport> | undefined;
      return {
        db,
        vectorSupport: () => (support ??= pgvectorSupport(db)),
        isCurrent: () => Promise.resolve(true),
        async close() {
          await withTimeLimit(pool.end(), CLOSE_LIMIT_MS, 'The end of the connections').catch(
            () => undefined,
          );
        },
      };
    },
    failureOf,
  };
}

/** Classes of SQLSTATE: connection, resources, operator (shutdown, statement limit), system; credentials; no database. */
const lostStates = /^(08|53|57P|58|28|3D|25006|42P01|3F)/;
/** Cancelled at the statement limit, deadlock, serialisation failure, lock not available. */
const busyStates = /^(57014|40|55P03)/;
const DISK_FULL = '53100';

function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return 'unforeseen';
  if (error instanceof NoTurn) return 'busy';
  // The driver's own failures (cut connections, time limits, TLS) have no SQLSTATE, and system errors another code.
  const code = 'code' in error ? String(error.code) : '';
  if (!/^[0-9A-Z]{5}$/.test(code)) return isProgramming(error) ? 'unforeseen' : 'lost';
  if (code === DISK_FULL) return 'full';
  if (busyStates.test(code)) return 'busy';
  return lostStates.test(code) ? 'lost' : 'unforeseen';
}

function isProgramming(error: Error): boolean {
  return [TypeError, RangeError, ReferenceError, SyntaxError].some((kind) => error instanceof kind);
}

/** pgvector where the database has it or lets this user install it; otherwise this process compares vectors. */
export async function pgvectorSupport(db: StoreDatabase): Promise<VectorSupport> {
  const known = await extensionSchema(db);
  if (known !== undefined) return { comparedBy: 'pgvector', schema: known };
  try {
    await sql`create extension if not exists vector`.execute(db);
  } catch {
    return { comparedBy: 'process' }; // not installed on the server, or this user lacks the permission
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
