import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { jsonText } from '../../src/model/json.ts';
import {
  MAX_KEY_BYTES,
  MAX_NAMESPACE_BYTES,
  MAX_VALUE_BYTES,
} from '../../src/model/store/item-key.ts';
import { StoreAccess, type OpenStore } from './store-access.ts';
import { describeStoreExpiry } from './store-expiry.ts';
import { describeStoreRanking } from './store-ranking.ts';
import { describeStoreSearch } from './store-search.ts';

/** What every StorePort promises, whatever keeps its items. */
export function describeStorePort(
  name: string,
  make: (clock?: () => number) => Promise<OpenStore>,
): void {
  describeStoreSearch(name, make);
  describeStoreExpiry(name, make);
  describeStoreRanking(name, make);

  describe(`${name} as a StorePort`, () => {
    let store: StoreAccess;
    beforeAll(async () => {
      store = new StoreAccess(await make());
    });
    beforeEach(() => store.begin());
    afterAll(() => store.close());

    describe('an item', () => {
      it('comes back as it was put', async () => {
        const value = jsonText('{"n":1.0,"big":12345678901234567890,"text":"\\u0000 ü 😀"}');
        const metadata = jsonText('{"a": [1.50, null]}');
        const before = Date.now();
        await store.port.put({
          namespace: [store.root, 'x'],
          key: 'k',
          value,
          metadata,
          owner: 'ann',
        });
        const item = await store.get(['x'], 'k');
        expect(item).toEqual({
          namespace: [store.root, 'x'],
          key: 'k',
          value,
          metadata,
          owner: 'ann',
          createdAt: expect.any(Number),
          updatedAt: item?.createdAt,
        });
        expect(item?.createdAt).toBeGreaterThanOrEqual(before);
        expect(item?.createdAt).toBeLessThanOrEqual(Date.now());
      });

      it('keeps its owner and the time of its creation when it is replaced', async () => {
        await store.put([], 'k', 1, { a: 1 });
        const first = await store.get([], 'k');
        await waitForClock();
        const again = {
          namespace: [store.root],
          key: 'k',
          value: jsonText('2'),
          metadata: jsonText('{}'),
        };
        await store.port.put({ ...again, owner: 'bob' });
        const second = await store.get([], 'k');
        expect(second).toMatchObject({ value: '2', metadata: '{}', owner: 'ann' });
        expect(second?.createdAt).toBe(first?.createdAt);
        expect(second?.updatedAt).toBeGreaterThan(first?.updatedAt ?? Infinity);
      });

      it('keeps its metadata when it is put without', async () => {
        await store.put([], 'k', 1, { a: 1 });
        await store.put([], 'k', 2);
        expect(await store.get([], 'k')).toMatchObject({ value: '2', metadata: '{"a":1}' });
        expect((await store.search([], { filter: { a: 1 } })).found).toEqual(['k']);
        await store.put([], 'new', 1);
        expect(await store.get([], 'new')).toMatchObject({ metadata: '{}' });
      });

      it('is not found under another path or key', async () => {
        await store.put(['a', 'b'], 'k');
        for (const [namespace, key] of [
          [['a'], 'k'],
          [['a', 'b'], 'K'],
          [['ab'], 'k'],
          [['a', 'b', 'c'], 'k'],
        ] as const) {
          expect(await store.get([...namespace], key)).toBeUndefined();
        }
      });

      it('is gone when it is deleted, also twice', async () => {
        await store.put(['a'], 'k', 1, { m: 1 });
        await store.put(['a'], 'other', 1, { m: 1 });
        const address = { namespace: [store.root, 'a'], key: 'k' };
        expect(await store.port.head(address)).toEqual({ ...address, owner: 'ann' });
        await store.port.delete(address);
        await store.port.delete(address);
        expect([await store.port.get(address), await store.port.head(address)]).toEqual([
          undefined,
          undefined,
        ]);
        expect(await store.search([], { filter: { m: 1 } })).toMatchObject({
          found: ['a/other'],
          total: 1,
        });
      });

      it('may have the longest path and key, of characters that do not compress', async () => {
        const label = noise(MAX_NAMESPACE_BYTES - store.root.length - 2);
        const key = noise(MAX_KEY_BYTES);
        await store.put([label], key, 1, { a: 1 });
        expect(await store.get([label], key)).toMatchObject({ value: '1' });
        expect((await store.search([label], { filter: { a: 1 } })).total).toBe(1);
      });

      it('may have the largest value', async () => {
        const value = jsonText(`"${'x'.repeat(MAX_VALUE_BYTES - 2)}"`);
        await store.port.put({ namespace: [store.root], key: 'k', value, owner: 'ann' });
        expect((await store.get([], 'k'))?.value.length).toBe(MAX_VALUE_BYTES);
      });

      it('has one of the values that were put at the same time', async () => {
        const values = Array.from({ length: 20 }, (_, index) => index);
        await Promise.all(values.map((value) => store.put([], 'k', value, { value })));
        const item = await store.get([], 'k');
        expect(item?.metadata).toBe(`{"value":${item?.value}}`);
        for (const value of values) {
          const { total } = await store.search([], { filter: { value } });
          expect(total).toBe(String(value) === item?.value ? 1 : 0);
        }
      });
    });

    it('is healthy', async () => {
      expect(await store.port.isHealthy()).toBe(true);
    });
  });

  describe(`${name}, closed`, () => {
    it('serves nothing more, and closes once', async () => {
      const { port, close } = await make();
      await port.put({ namespace: ['a'], key: 'k', value: jsonText('1'), owner: 'ann' });
      await Promise.all([port.close(), port.close()]);
      await expect(port.get({ namespace: ['a'], key: 'k' })).rejects.toMatchObject({
        code: 'store_unavailable',
      });
      expect(await port.isHealthy()).toBe(false);
      await close();
    });
  });
}

/** Text of so many bytes that a database cannot make shorter. */
function noise(bytes: number): string {
  let text = '';
  while (text.length < bytes) text += Math.random().toString(36).slice(2);
  return text.slice(0, bytes);
}

/** The next millisecond: times of items have no finer grain. */
async function waitForClock(): Promise<void> {
  const now = Date.now();
  while (Date.now() === now) await new Promise(setImmediate);
}
