import type { StorePort } from './port.ts';
import { sqliteSource } from './sqlite-source.ts';
import { SqlStore } from './sql-store.ts';

/** Where the items are kept. */
export type StoreSettings = { provider: 'sqlite'; path: string };

/** The store over the database that the settings name. Nothing is opened before it is needed. */
export function createStore(settings: StoreSettings): StorePort {
  return new SqlStore(sqliteSource(settings.path));
}
