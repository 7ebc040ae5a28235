import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { waitUntil } from '../../test/fixtures/wait-until.ts';
import { ServiceError } from '../errors/service-error.ts';
import { toJsonText } from '../model/json.ts';
import type { Principal } from '../model/principal.ts';
import type { ManifestStore, StoreIndexSettings } from '../model/store/store-settings.ts';
import { createStore } from '../store/open-store.ts';
import type { StorePort } from '../store/port.ts';
import { createStoreIndex } from './store-index.ts';
import { StoreService } from './store-service.ts';
import { startStoreUpkeep, type StoreUpkeep } from './store-upkeep.ts';

const ann: Principal = { sub: 'ann', mroles: [], claims: { sub: 'ann' } };
const letters: StoreIndexSettings = {
  embed: './embed.py:letters',
  language: 'python',
  dims: 26,
  fields: ['$'],
};

let folder: string;
let port: StorePort;
let store: StoreService;
let upkeep: StoreUpkeep | undefined;
let now: number;
let manifest: ManifestStore;
let embedded: string[];
let refuse: (text: string) => boolean;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'store-upkeep-'));
  now = Date.now();
  port = createStore({ provider: 'sqlite', path: join(folder, 'store.db') }, () => now);
  manifest = { ttl: { refreshOnRead: true, sweepMinutes: 5 } };
  embedded = [];
  refuse = () => false;
  store = new StoreService({ store: port, policy, storeTtl: () => manifest.ttl, storeIndex });
});
afterEach(async () => {
  await upkeep?.close();
  upkeep = undefined;
  await port.close();
  await rm(folder, { recursive: true });
});

const policy = { permitsEverything: true as const, isPermitted: () => true };

/** As many of each letter as the text has: the same for every model but for the number of dimensions. */
const storeIndex = createStoreIndex(() => manifest.index, {
  embed(_language, { texts }) {
    if (texts.some((text) => refuse(text))) {
      return Promise.reject(new ServiceError('embedding_failed', 'The model is away.'));
    }
    embedded.push(...texts);
    const dims = manifest.index?.embed === './embed.py:wrong' ? 3 : (manifest.index?.dims ?? 0);
    return Promise.resolve(texts.map((text) => counted(text, dims)));
  },
});

function counted(text: string, dims: number): Float32Array {
  const vector = new Float32Array(dims);
  for (const letter of text.toLowerCase().replaceAll(/[^a-z]/g, '')) {
    const at = (letter.charCodeAt(0) - 97) % dims;
    vector[at] = (vector[at] ?? 0) + 1;
  }
  return vector;
}

const put = (key: string, value: object, more: object = {}) =>
  store.put(ann, { namespace: ['a'], key }, { value: toJsonText(value), ...more });

async function found(query: string): Promise<[string, boolean][]> {
  const { items } = await store.search(ann, { prefix: ['a'], limit: 10, offset: 0, query });
  return items.map(({ key, score }) => [key, score !== undefined]);
}

function begin(): void {
  const logger = { info: () => undefined, warn: () => undefined };
  upkeep = startStoreUpkeep({
    store: port,
    index: storeIndex,
    ttl: () => manifest.ttl,
    logger,
    expired: { inc: () => undefined },
    retryMs: 20,
  });
}

async function allScored(): Promise<boolean> {
  const all = await found('x');
  return all.length > 0 && all.every(([, isScored]) => isScored);
}

describe('an index', () => {
  it('is given the items that were put before there was one, as their puts wanted', async () => {
    await put('all', { text: 'one', more: 'x' });
    await put('named', { text: 'two', more: 'y' }, { index: ['more'] });
    await put('none', { text: 'three' }, { index: false });
    expect(await found('x')).toEqual([
      ['all', false],
      ['named', false],
      ['none', false],
    ]);
    manifest = { ...manifest, index: letters };
    begin();
    await waitUntil('the vectors', 5_000, () => embedded.includes('y'));
    expect(embedded.filter((text) => text !== 'x').toSorted()).toEqual([
      'y',
      '{"more": "x", "text": "one"}',
    ]);
  });

  it('is made anew when dimensions, model or fields change, also in a running service', async () => {
    manifest = { ...manifest, index: letters };
    await put('k', { text: 'word' });
    expect(await found('word')).toEqual([['k', true]]);
    begin();
    for (const change of [{ dims: 7 }, { embed: './embed.py:others' }, { fields: ['text'] }]) {
      manifest = { ...manifest, index: { ...letters, ...change } };
      expect(await found('word')).toEqual([['k', false]]);
      upkeep?.renew();
      await waitUntil('the new vectors', 5_000, allScored);
      expect(await found('word')).toEqual([['k', true]]);
    }
  });

  it('gets what could not be embedded as soon as it can be', async () => {
    for (const key of ['a', 'bad', 'c']) await put(key, { text: key });
    manifest = { ...manifest, index: letters };
    refuse = (text) => text.includes('bad');
    begin();
    await waitUntil('the others', 5_000, async () => {
      return (await found('x')).filter(([, isScored]) => isScored).length === 2;
    });
    refuse = () => false;
    await waitUntil('the last', 5_000, allScored);
    expect(embedded.filter((text) => text === '{"text": "bad"}')).toHaveLength(1);
  });

  it('refuses a put with the reason, and keeps what was there', async () => {
    manifest = { ...manifest, index: letters };
    await put('k', { text: 'before' });
    const failed = { code: 'embedding_failed' };
    refuse = (text) => text.includes('after');
    await expect(put('k', { text: 'after' })).rejects.toMatchObject(failed);
    manifest = { ...manifest, index: { ...letters, embed: './embed.py:wrong' } };
    await expect(put('k', { text: 'later' })).rejects.toMatchObject({
      ...failed,
      message:
        './embed.py:wrong makes vectors of 3 numbers, and store.index.dims is 26: correct the manifest.',
    });
    const item = await store.get(ann, { namespace: ['a'], key: 'k' });
    expect(item.value).toBe('{"text":"before"}');
  });

  it('takes so many texts of an item, and so long a query', async () => {
    manifest = { ...manifest, index: { ...letters, fields: ['list[*]'] } };
    const tooLarge = { code: 'payload_too_large' };
    const list = Array.from({ length: 257 }, (_, at) => `text ${at}`);
    await expect(put('k', { list })).rejects.toMatchObject(tooLarge);
    await put('k', { list: list.slice(1) });
    await expect(found('x'.repeat(64 * 1024 + 1))).rejects.toMatchObject(tooLarge);
  });

  it('embeds equal texts once', async () => {
    manifest = { ...manifest, index: { ...letters, fields: ['list[*]', 'text'] } };
    await put('k', { list: ['same', 'same', 'other'], text: 'same' });
    expect(embedded).toEqual(['same', 'other']);
  });
});

describe('the time of items', () => {
  const gone = { code: 'item_not_found' };
  const get = (key: string, options = {}) =>
    store.get(ann, { namespace: ['a'], key }, options).then(({ key: name }) => name);

  it('is that of the manifest, unless the put sets another or none', async () => {
    manifest = { ttl: { defaultMinutes: 10, refreshOnRead: false, sweepMinutes: 5 } };
    await put('default', {});
    await put('short', {}, { ttlMinutes: 0.5 });
    await put('ever', {}, { ttlMinutes: null });
    now += 30_000;
    await expect(get('short')).rejects.toMatchObject(gone);
    now += 9.5 * 60_000 - 1;
    expect(await get('default')).toBe('default');
    now += 1;
    await expect(get('default')).rejects.toMatchObject(gone);
    expect(await get('ever')).toBe('ever');
    await expect(put('k', {}, { ttlMinutes: 0 })).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });

  it('begins anew with a read, as the manifest or the read sets', async () => {
    const minute = 60_000;
    await put('k', {}, { ttlMinutes: 1 });
    now += minute - 1;
    await get('k');
    now += minute - 1;
    await store.search(ann, { prefix: ['a'], limit: 10, offset: 0 });
    now += minute - 1;
    await get('k', { refreshTtl: false });
    now += 1;
    await expect(get('k')).rejects.toMatchObject(gone);
    manifest = { ttl: { refreshOnRead: false, sweepMinutes: 5 } };
    await put('k', {}, { ttlMinutes: 1 });
    now += minute - 1;
    await get('k', { refreshTtl: true });
    now += minute - 1;
    await get('k');
    now += 1;
    await expect(get('k')).rejects.toMatchObject(gone);
  });
});
