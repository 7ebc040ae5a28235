import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { jsonText } from '../../src/model/json.ts';
import { StoreAccess, type OpenStore } from './store-access.ts';

const MINUTE = 60_000;

/** What every StorePort promises about items that expire. */
export function describeStoreExpiry(
  name: string,
  make: (clock: () => number) => Promise<OpenStore>,
): void {
  describe(`items of ${name} that expire`, () => {
    let now = Date.now();
    let store: StoreAccess;
    beforeAll(async () => {
      store = new StoreAccess(await make(() => now));
    });
    beforeEach(() => store.begin());
    afterAll(() => store.close());

    const addressOf = (key: string) => ({ namespace: [store.root], key });
    const put = (key: string, ttlMs?: number, owner = 'ann') =>
      store.port.put({
        ...addressOf(key),
        value: jsonText('1'),
        metadata: jsonText('{"m":1}'),
        owner,
        ...(ttlMs !== undefined && { ttlMs }),
      });

    it('are gone for every method when their time is over, and not earlier', async () => {
      await put('short', MINUTE);
      await put('long', 2 * MINUTE);
      await put('ever');
      expect((await store.get([], 'short'))?.ttlMs).toBe(MINUTE);
      now += MINUTE - 1;
      expect((await store.search([])).found).toEqual(['ever', 'long', 'short']);
      now += 1;
      expect(await store.get([], 'short')).toBeUndefined();
      expect(await store.port.head(addressOf('short'))).toBeUndefined();
      expect(await store.search([])).toEqual({ found: ['ever', 'long'], total: 2, isCut: false });
      expect((await store.search([], { filter: { m: 1 } })).found).toEqual(['ever', 'long']);
      expect((await store.search([], { matches: () => true })).found).toEqual(['ever', 'long']);
    });

    it('leave no path behind', async () => {
      await put('k', MINUTE);
      expect((await store.namespaces()).found).toEqual(['']);
      now += MINUTE;
      expect(await store.namespaces()).toEqual({ found: [], total: 0 });
    });

    it('start again with a put, which also sets whether they expire', async () => {
      await put('k', MINUTE);
      now += MINUTE - 1;
      await put('k', MINUTE, 'bob');
      now += MINUTE - 1;
      expect(await store.get([], 'k')).toMatchObject({ owner: 'ann', ttlMs: MINUTE });
      await put('k');
      now += 10 * MINUTE;
      expect(await store.get([], 'k')).toMatchObject({ owner: 'ann' });
    });

    it('are other items when they are put again after their time', async () => {
      await put('k', MINUTE);
      now += MINUTE;
      await put('k', undefined, 'bob');
      expect(await store.get([], 'k')).toMatchObject({ owner: 'bob', createdAt: now });
    });

    it('start again when they are refreshed, but only while they exist', async () => {
      await put('one', MINUTE);
      await put('two', MINUTE);
      await put('ever');
      now += MINUTE - 1;
      await store.port.refresh([addressOf('one'), addressOf('ever'), addressOf('missing')]);
      now += 1;
      await store.port.refresh([addressOf('two')]);
      expect((await store.search([])).found).toEqual(['ever', 'one']);
      now += MINUTE - 1;
      expect((await store.search([])).found).toEqual(['ever']);
    });

    it('are removed so many at a time, and nothing else is', async () => {
      await store.port.removeExpired(1_000);
      for (const key of ['a', 'b', 'c']) await put(key, MINUTE);
      await put('ever');
      await put('long', 2 * MINUTE);
      now += MINUTE;
      expect(await store.port.removeExpired(2)).toBe(2);
      expect(await store.port.removeExpired(2)).toBe(1);
      expect(await store.port.removeExpired(2)).toBe(0);
      expect((await store.search([])).found).toEqual(['ever', 'long']);
    });
  });
}
