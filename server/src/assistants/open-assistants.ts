import type { Kysely } from 'kysely';
import { hasSqlite, OLDEST_SQLITE_NODE } from '../config/sqlite-runtime.ts';
import {
  type Dialect,
  migrateDatabase,
  openPostgres,
  openSqlite,
  type PostgresConnection,
} from '../database/open-database.ts';
import { ServiceError } from '../errors/service-error.ts';
import { type AssistantLimits, defaultLimits } from './limits.ts';
import type { AssistantsPort } from './port.ts';
import { type AssistantTables, migrations } from './schema.ts';
import { SqlAssistants } from './sql-assistants.ts';

export type AssistantsDatabase =
  { provider: 'sqlite'; path: string } | { provider: 'postgresql'; options: PostgresConnection };

interface Opened {
  db: Kysely<AssistantTables>;
  assistants: SqlAssistants;
}

/** The assistants of a database that is opened when it is first needed, and again after it failed to open. */
export function openAssistants(
  database: AssistantsDatabase,
  limits: AssistantLimits = defaultLimits,
): AssistantsPort {
  let opened: Promise<Opened> | undefined;

  /** `assistants_unavailable` */
  async function inDatabase<T>(act: (assistants: SqlAssistants) => Promise<T>): Promise<T> {
    opened ??= open(database, limits);
    const opening = opened;
    try {
      return await act((await opening).assistants);
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      opening.catch(() => {
        if (opened === opening) opened = undefined;
      });
      const message = 'The assistants cannot be read.';
      throw new ServiceError('assistants_unavailable', message, { cause: error });
    }
  }

  return {
    create: (...made) => inDatabase((assistants) => assistants.create(...made)),
    read: (id) => inDatabase((assistants) => assistants.read(id)),
    change: (...changed) => inDatabase((assistants) => assistants.change(...changed)),
    setVersion: (...set) => inDatabase((assistants) => assistants.setVersion(...set)),
    versions: (id) => inDatabase((assistants) => assistants.versions(id)),
    delete: (id) => inDatabase((assistants) => assistants.delete(id)),
    list: (filter) => inDatabase((assistants) => assistants.list(filter)),
    async close() {
      const open = await opened?.catch(() => undefined);
      await open?.db.destroy();
    },
  };
}

async function open(database: AssistantsDatabase, limits: AssistantLimits): Promise<Opened> {
  const db = await dbOf(database);
  const dialect: Dialect = database.provider;
  try {
    await migrateDatabase(db, 'assistants', migrations);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return { db, assistants: new SqlAssistants(db, dialect, limits) };
}

async function dbOf(database: AssistantsDatabase): Promise<Kysely<AssistantTables>> {
  if (database.provider === 'postgresql') return openPostgres(database.options);
  // It would end the whole process.
  if (!hasSqlite()) throw new Error(`SQLite needs Node ${OLDEST_SQLITE_NODE} or newer.`);
  const { db } = await openSqlite<AssistantTables>(database.path, { isFullyDurable: true });
  return db;
}
