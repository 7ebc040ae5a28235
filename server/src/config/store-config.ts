import { join } from 'node:path';
import { ServiceError } from '../errors/service-error.ts';
import { systemCacheDir } from './data-dir.ts';
import type { Environment } from './resolve-settings.ts';
import type { SettingValues } from './settings/settings.ts';

export type PostgresTlsMode = 'disable' | 'require' | 'verify-ca' | 'verify-full';

/** The database of the key-value store. */
export type StoreConfig =
  | { readonly provider: 'sqlite'; readonly path: string }
  | {
      readonly provider: 'postgresql';
      readonly connectionString: string;
      /** Absent: as the connection string states. */
      readonly tlsMode?: PostgresTlsMode;
      readonly tlsCaFile?: string;
    };

/** The store that the settings request; absent: it is switched off. */
export function storeConfig(
  values: SettingValues,
  environment: Environment,
): { store?: StoreConfig; warnings: string[] } {
  const provider = values['store.provider'];
  const path = values['store.sqlite.db_path'];
  const connectionString = values['store.postgresql.connection_string'];
  if (provider === undefined) {
    const isHalfway = path !== undefined || connectionString !== undefined;
    const sentence = 'The settings of the store have no effect without store.provider.';
    return { warnings: isHalfway ? [sentence] : [] };
  }
  if (provider === 'sqlite') {
    // Spec: Store. The user's cache directory itself, not this product's folder in it. It is data, not a cache: a data
    // directory that was chosen has it, too.
    const folder = values.data_dir ?? values.cache_dir ?? systemCacheDir(environment);
    return { store: { provider, path: path ?? join(folder, 'store.db') }, warnings: [] };
  }
  if (connectionString === undefined) {
    throw new ServiceError(
      'config_invalid',
      'store.provider postgresql needs store.postgresql.connection_string.',
    );
  }
  const tlsMode = values['store.postgresql.tls_mode'];
  const tlsCaFile = values['store.postgresql.tls_ca_file'];
  return {
    store: {
      provider,
      connectionString,
      ...(tlsMode === undefined ? {} : { tlsMode }),
      ...(tlsCaFile === undefined ? {} : { tlsCaFile }),
    },
    warnings: [],
  };
}
