/** Separate PostgreSQL servers, killed and stopped: what the store does about a real one. */
// @needs postgresql
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { jsonText } from '../../src/model/json.ts';
import { createStore } from '../../src/store/open-store.ts';
import type { StorePort } from '../../src/store/port.ts';
import type { PostgresSettings, PostgresTlsMode } from '../../src/store/postgres-options.ts';
import { describeStorePort } from '../conformance/store-port.ts';
import { type Authority, createAuthority } from '../fixtures/authority.ts';
import { call } from '../fixtures/call.ts';
import { startHttpService } from '../fixtures/http-service.ts';
import {
  missingPostgres,
  type PostgresServer,
  startPostgresServer,
} from '../fixtures/postgres-server.ts';
import { aFailure } from '../fixtures/wire-patterns.ts';
import { waitUntil } from '../fixtures/wait-until.ts';

/** A guard only: it is back as soon as it continues. */
const BACK_LIMIT_MS = 60_000;

describe('the store on PostgreSQL', () => {
  const missing = missingPostgres();
  if (missing !== undefined) {
    // oxlint-disable-next-line vitest/expect-expect -- it reports why the others are missing
    it('needs PostgreSQL', (context) => context.skip(missing));
    return;
  }
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgresServer();
  });
  afterAll(() => server.close());

  // Without pgvector, which this server does not have: vectors are compared in this process.
  describeStorePort('the PostgreSQL store', async (clock) => {
    const connectionString = await server.database();
    const port = createStore({ provider: 'postgresql', connectionString }, clock);
    return { port, close: () => port.close() };
  });

  describe('a PostgreSQL database', () => {
    const address = { namespace: ['a'], key: 'k' };
    const item = { ...address, value: jsonText('1'), metadata: jsonText('{"m":1}'), owner: 'ann' };
    const unavailable = { code: 'store_unavailable' };

    async function withStores(
      count: number,
      work: (...stores: [StorePort, ...StorePort[]]) => Promise<void>,
    ): Promise<void> {
      const connectionString = await server.database();
      const make = () => createStore({ provider: 'postgresql', connectionString });
      const stores: [StorePort, ...StorePort[]] = [
        make(),
        ...Array.from({ length: count - 1 }, make),
      ];
      try {
        await work(...stores);
      } finally {
        await Promise.all(stores.map((store) => store.close()));
      }
    }

    it('serves several services at once, also while its schema is made', () =>
      withStores(4, async (store, ...others) => {
        const all = [store, ...others];
        await Promise.all(all.map((one, index) => one.put({ ...item, key: `k${index}` })));
        const page = await store.search({ prefix: [], filter: { m: 1 }, limit: 10, offset: 0 });
        expect(page.items.map(({ key }) => key)).toEqual(['k0', 'k1', 'k2', 'k3']);
      }));

    it('is unavailable while the server is gone, for the API 503 with Retry-After, and works when it is back', () =>
      withStores(1, async (store) => {
        const service = await startHttpService({ store });
        const path = `${service.url}/store/items?namespace=a&key=k`;
        try {
          await store.put(item);
          const busy = Array.from({ length: 20 }, () =>
            store.put(item).then(() => 'done', failure),
          );
          await server.kill();
          for (const outcome of await Promise.all(busy)) {
            expect(['done', 'store_unavailable']).toContain(outcome);
          }
          await expect(store.get(address)).rejects.toMatchObject(unavailable);
          expect(await store.isHealthy()).toBe(false);
          const response = await call(path);
          expect([response.status, response.body]).toEqual([503, aFailure('store_unavailable')]);
          expect(Number(response.headers.get('Retry-After'))).toBeGreaterThan(0);
          expect((await call(path, 'PUT', { value: 2 })).status).toBe(503);
          await server.start();
          expect(await store.get(address)).toMatchObject({ value: '1' });
          expect(await store.isHealthy()).toBe(true);
          expect((await call(path)).body).toMatchObject({ value: 1 });
        } finally {
          await service.close();
        }
      }));

    it('is unavailable when the server does not respond, on connections that it has and new ones', () =>
      withStores(1, async (store) => {
        await store.put(item);
        await server.signalAll('SIGSTOP');
        try {
          const gets = [store.get(address), store.get(address)];
          const outcomes = await Promise.all([
            ...gets.map((get) => get.catch(failure)),
            store.isHealthy(),
          ]);
          expect(outcomes).toEqual(['store_unavailable', 'store_unavailable', false]);
        } finally {
          await server.signalAll('SIGCONT');
        }
        await waitUntil('the item', BACK_LIMIT_MS, () => store.get(address).catch(() => undefined));
      }));

    it('stops a statement that waits too long, and continues', { tags: 'release' }, async () => {
      const connectionString = await server.database();
      const store = createStore({ provider: 'postgresql', connectionString });
      await store.put(item);
      const other = new pg.Client({ connectionString });
      await other.connect();
      await other.query('begin; lock table store_items in access exclusive mode');
      await expect(store.get(address)).rejects.toMatchObject(unavailable);
      // The server has stopped it, not only this side: it holds nothing up any more.
      const left = await other.query(
        `select query from pg_stat_activity where application_name = 'agent-runtime' and wait_event_type = 'Lock'`,
      );
      expect(left.rows).toEqual([]);
      await other.end();
      expect(await store.get(address)).toBeDefined();
      await store.close();
    });

    it('gets its tables back when the database was created again', async () => {
      const connectionString = await server.database();
      const store = createStore({ provider: 'postgresql', connectionString });
      await store.put(item);
      const name = new URL(connectionString).pathname.slice(1);
      await server.execute(`drop database ${name} with (force)`);
      await expect(store.get(address)).rejects.toMatchObject(unavailable);
      await server.execute(`create database ${name}`);
      expect(await store.get(address)).toBeUndefined();
      await store.put(item);
      await store.close();
    });

    it('is unavailable to who may not enter', async () => {
      const store = createStore({
        provider: 'postgresql',
        connectionString: `postgresql://nobody@127.0.0.1:${server.port}/postgres`,
      });
      await expect(store.get(address)).rejects.toMatchObject(unavailable);
      await store.close();
    });
  });

  describe('TLS to PostgreSQL', () => {
    let ours: Authority;
    let foreign: Authority;
    /** Its certificate names localhost, and no address. */
    let secured: PostgresServer;
    let plain: string;
    beforeAll(async () => {
      ours = await createAuthority('ours');
      foreign = await createAuthority('foreign');
      secured = await startPostgresServer({ tls: await ours.issue({ addresses: [] }) });
      plain = await server.database();
    });
    afterAll(async () => {
      await secured.close();
      ours.close();
      foreign.close();
    });

    /** Whether a store with these settings gets through. */
    async function outcome(settings: PostgresSettings): Promise<string> {
      const store = createStore({ provider: 'postgresql', ...settings });
      const outcome = await store
        .listNamespaces({ conditions: [], limit: 1, offset: 0 })
        .then(() => 'connected', failure);
      await store.close();
      return outcome;
    }

    it.each<[PostgresTlsMode, 'named' | 'unnamed' | 'plain', 'right' | 'wrong' | 'no', string]>([
      ['disable', 'plain', 'no', 'connected'],
      ['disable', 'named', 'no', 'store_unavailable'],
      ['require', 'named', 'no', 'connected'],
      ['require', 'unnamed', 'no', 'connected'],
      ['require', 'plain', 'no', 'store_unavailable'],
      ['verify-ca', 'named', 'right', 'connected'],
      ['verify-ca', 'unnamed', 'right', 'connected'],
      ['verify-ca', 'named', 'wrong', 'store_unavailable'],
      ['verify-ca', 'named', 'no', 'store_unavailable'],
      ['verify-ca', 'plain', 'right', 'store_unavailable'],
      ['verify-full', 'named', 'right', 'connected'],
      ['verify-full', 'unnamed', 'right', 'store_unavailable'],
      ['verify-full', 'named', 'wrong', 'store_unavailable'],
      ['verify-full', 'plain', 'right', 'store_unavailable'],
    ])('%s to a server that is %s, with the %s CA: %s', async (tlsMode, which, ca, expected) => {
      const tlsCaFile = { right: ours.certFile, wrong: foreign.certFile, no: undefined }[ca];
      const host = which === 'named' ? 'localhost' : '127.0.0.1';
      const connectionString =
        which === 'plain' ? plain : `postgresql://store@${host}:${secured.port}/postgres`;
      const settings = { connectionString, tlsMode, ...(tlsCaFile && { tlsCaFile }) };
      expect(await outcome(settings)).toBe(expected);
    });
  });
});

function failure(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
