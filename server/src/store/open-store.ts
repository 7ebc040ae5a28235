import { postgresOptions, type PostgresSettings } from './postgres-options.ts';
import { postgresSource } from './postgres-source.ts';
import { sqliteSource } from './sqlite-source.ts';
import { SqlStore } from './sql-store.ts';
import type { StorePort } from './port.ts';

/** Where the items are kept. */
export type StoreSettings =
  { provider: 'sqlite'; path: string } | ({ provider: 'postgresql' } & PostgresSettings);

/** The store over the database that the settings name, which is not opened before it is needed. `config_invalid` */
export function createStore(settings: StoreSettings, clock?: () => number): StorePort {
  return settings.provider === 'sqlite'
    ? new SqlStore(sqliteSource(settings.path), clock)
    : new SqlStore(postgresSource(postgresOptions(settings)), clock);
}
