import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from './load-config.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'store-config-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function load(environment: Record<string, string>) {
  const { config, warnings } = loadConfig({
    sourcePath: '.',
    workingDir: folder,
    flags: new Map([
      ['guest.sandbox', 'none'],
      ['api.listen_addr', '127.0.0.1:0'],
    ]),
    environment: { XDG_CACHE_HOME: '/cache', ...environment },
  });
  return { store: config.store, warnings };
}

describe('the store', () => {
  it('is off unless a provider is named', () => {
    expect(load({})).toEqual({ store: undefined, warnings: [] });
    expect(load({ SERVICE_STORE_SQLITE_DB_PATH: 'x.db' })).toEqual({
      store: undefined,
      warnings: ['The settings of the store have no effect without store.provider.'],
    });
  });

  it('is a file in the user cache directory, in cache_dir, in a data_dir that is set, or at the configured path', () => {
    const path = (environment: Record<string, string>) =>
      load({ SERVICE_STORE_PROVIDER: 'sqlite', ...environment }).store;
    expect(path({})).toEqual({ provider: 'sqlite', path: '/cache/store.db' });
    expect(path({ SERVICE_CACHE_DIR: '/mine' })).toEqual({
      provider: 'sqlite',
      path: '/mine/store.db',
    });
    const both = { SERVICE_CACHE_DIR: '/mine', SERVICE_DATA_DIR: 'data' };
    expect(path(both)).toEqual({ provider: 'sqlite', path: join(folder, 'data/store.db') });
    expect(path({ ...both, SERVICE_STORE_SQLITE_DB_PATH: 'data/s.db' })).toEqual({
      provider: 'sqlite',
      path: join(folder, 'data/s.db'),
    });
  });

  it('is a PostgreSQL database', () => {
    const { store } = load({
      SERVICE_STORE_PROVIDER: 'postgresql',
      SERVICE_STORE_POSTGRESQL_CONNECTION_STRING: 'postgresql://u:p@db/x',
      SERVICE_STORE_POSTGRESQL_TLS_MODE: 'verify-ca',
      SERVICE_STORE_POSTGRESQL_TLS_CA_FILE: '/ca.pem',
    });
    expect(store).toEqual({
      provider: 'postgresql',
      connectionString: 'postgresql://u:p@db/x',
      tlsMode: 'verify-ca',
      tlsCaFile: '/ca.pem',
    });
  });

  it.each<[Record<string, string>, RegExp]>([
    [{ SERVICE_STORE_PROVIDER: 'mysql' }, /^SERVICE_STORE_PROVIDER takes sqlite or postgresql/],
    [{ SERVICE_STORE_PROVIDER: 'postgresql' }, /needs store\.postgresql\.connection_string/],
    [{ SERVICE_STORE_POSTGRESQL_TLS_MODE: 'prefer' }, /takes disable, require, verify-ca or/],
  ])('refuses %j', (environment, sentence) => {
    expect(() => load(environment)).toThrow(sentence);
  });
});
