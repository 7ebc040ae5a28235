import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeStorePort } from '../../test/conformance/store-port.ts';
import { jsonText } from '../model/json.ts';
import { createStore } from './open-store.ts';
import type { StorePort } from './port.ts';
import { SqlStore } from './sql-store.ts';
import { sqliteSource } from './sqlite-source.ts';

describeStorePort('the SQLite store', async (clock) => {
  const folder = await mkdtemp(join(tmpdir(), 'store-test-'));
  const port = createStore({ provider: 'sqlite', path: join(folder, 'deep', 'store.db') }, clock);
  return {
    port,
    async close() {
      await port.close();
      await rm(folder, { recursive: true });
    },
  };
});

describe('a SQLite file', () => {
  const itemKey = { namespace: ['a'], key: 'k' };
  const item = { ...itemKey, value: jsonText('1'), metadata: jsonText('{"m":1}'), owner: 'ann' };
  let folder: string;
  let path: string;
  let port: StorePort;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'store-test-'));
    path = join(folder, 'data', 'store.db');
    port = createStore({ provider: 'sqlite', path });
  });
  afterEach(async () => {
    await port.close();
    await rm(folder, { recursive: true });
  });

  it('is not made before it is needed', async () => {
    expect(existsSync(path)).toBe(false);
    await port.put(item);
    expect(existsSync(path)).toBe(true);
  });

  it('keeps its items when it is opened again', async () => {
    await port.put(item);
    await port.close();
    port = createStore({ provider: 'sqlite', path });
    expect(await port.get(itemKey)).toMatchObject({
      value: '1',
      metadata: '{"m":1}',
      owner: 'ann',
    });
  });

  it('serves several at once, also while its schema is made', async () => {
    const others = Array.from({ length: 3 }, () => createStore({ provider: 'sqlite', path }));
    await Promise.all(
      [port, ...others].map((store, index) => store.put({ ...item, key: `k${index}` })),
    );
    const page = await port.search({ prefix: [], limit: 10, offset: 0 });
    expect(page.items.map(({ key }) => key)).toEqual(['k0', 'k1', 'k2', 'k3']);
    await Promise.all(others.map((store) => store.close()));
  });

  it('is unavailable while another process locks it, and this process continues meanwhile', async () => {
    const impatient = new SqlStore(sqliteSource(path, 100));
    await impatient.put(item);
    const other = new Database(path);
    other.exec('begin immediate');
    const order: string[] = [];
    const refused = impatient.put(item).catch((error: unknown) => {
      order.push('refused');
      return error;
    });
    setTimeout(() => order.push('went on'), 10);
    expect(await refused).toMatchObject({ code: 'store_unavailable' });
    expect(order).toEqual(['went on', 'refused']);
    // Reading needs no lock.
    expect(await impatient.get(itemKey)).toBeDefined();
    other.exec('rollback');
    other.close();
    await impatient.put(item);
    await impatient.close();
  });

  it('waits for another process that locks it for a short time', async () => {
    await port.put(item);
    const other = new Database(path);
    other.exec('begin immediate');
    const waiting = port.put({ ...item, value: jsonText('2') });
    await delay(50); // without patience it is refused long before
    other.exec('rollback');
    other.close();
    await waiting;
    expect(await port.get(itemKey)).toMatchObject({ value: '2' });
  });

  it('is made anew when it was removed', async () => {
    await port.put(item);
    await rm(join(folder, 'data'), { recursive: true });
    expect(await port.get(itemKey)).toBeUndefined();
    await port.put(item);
    await port.close();
    port = createStore({ provider: 'sqlite', path });
    expect(await port.get(itemKey)).toBeDefined();
  });

  it('is unavailable while it cannot be opened, and works as soon as it can', async () => {
    await mkdir(path, { recursive: true });
    await expect(port.get(itemKey)).rejects.toMatchObject({ code: 'store_unavailable' });
    expect(await port.isHealthy()).toBe(false);
    await rm(path, { recursive: true });
    await port.put(item);
    expect(await port.isHealthy()).toBe(true);
  });

  it('is unavailable while it is no database', async () => {
    await mkdir(join(folder, 'data'));
    await writeFile(path, 'this is text, and more of it than a header has');
    await expect(port.get(itemKey)).rejects.toMatchObject({ code: 'store_unavailable' });
    await rm(path);
    await port.put(item);
  });

  it('gets its tables back when they were dropped', async () => {
    await port.put(item);
    const other = new Database(path);
    for (const table of [
      'store_item_tags',
      'store_item_vectors',
      'store_items',
      'store_migrations',
    ]) {
      other.exec(`drop table ${table}`);
    }
    other.close();
    await expect(port.get(itemKey)).rejects.toMatchObject({ code: 'store_unavailable' });
    expect(await port.get(itemKey)).toBeUndefined();
    await port.put(item);
  });
});
