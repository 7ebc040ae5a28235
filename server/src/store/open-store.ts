import { postgresOptions, type PostgresSettings } from './postgres-options.ts';
import { postgresSource } from './postgres-source.ts';
import { sqliteSource } from './sqlite-source.ts';
import { SqlStore } from './sql-store.ts';
import type { StorePort } from './port.ts';

/** The database that holds the items. */
export type StoreSettings =
  { provider: 'sqlite'; path: string } | ({ provider: 'postgresql' } & PostgresSettings);

/** The store over the database of the settings, which is opened when first needed. `config_invalid` */
export function createStore(settings: StoreSettings, clock?: () => number): StorePort {
  return settings.provider === 'sqlite'
    ? new SqlStore(sqliteSource(settings.path), clock)
    : new SqlStore(postgresSource(postgresOptions(settings)), clock);
}
