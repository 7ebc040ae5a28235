import type { Kysely } from 'kysely';
import { type DatabaseSettings, openDurable } from '../database/open-database.ts';
import type { CronLimits } from './limits.ts';
import { type CronTables, migrations } from './schema.ts';
import { SqlCrons } from './sql-crons.ts';

export interface OpenCrons {
  db: Kysely<CronTables>;
  crons: SqlCrons;
}

/** Opens the database with this version's schema; it is created when it does not exist. */
export async function openCronsDatabase(
  database: DatabaseSettings,
  limits: CronLimits,
): Promise<OpenCrons> {
  const db = await openDurable<CronTables>(database, 'crons', migrations);
  return { db, crons: new SqlCrons(db, database.provider, limits) };
}
