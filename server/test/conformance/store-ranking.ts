import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { toJsonText } from '../../src/model/json.ts';
import type { ItemVector } from '../../src/model/store/store-settings.ts';
import type { ItemQuery } from '../../src/store/port.ts';
import { StoreAccess, type OpenStore } from './store-access.ts';

/** What every StorePort promises about searches by meaning. */
export function describeStoreRanking(name: string, make: () => Promise<OpenStore>): void {
  describe(`searches by meaning in ${name}`, () => {
    let store: StoreAccess;
    beforeAll(async () => {
      store = new StoreAccess(await make());
    });
    beforeEach(() => store.begin());
    afterAll(() => store.close());

    const east = vector(1, 0);
    const near = { index: 'one', vector: east };

    function put(key: string, vectors?: Float32Array[], rest: { index?: string; n?: number } = {}) {
      const made: ItemVector[] = (vectors ?? []).map((values, at) => ({ path: `p${at}`, values }));
      return store.port.put({
        namespace: [store.root, 'a'],
        key,
        value: toJsonText({ n: rest.n ?? 0 }),
        metadata: toJsonText({ n: rest.n ?? 0 }),
        owner: 'ann',
        ...(vectors && { indexed: { index: rest.index ?? 'one', vectors: made } }),
      });
    }

    async function ranked(query: Partial<ItemQuery> = {}) {
      const asked = { prefix: [store.root], limit: 100, offset: 0, near, ...query };
      const { items, total } = await store.port.search(asked);
      const found = items.map(({ key, score }) => [key, score && Math.round(score * 100) / 100]);
      return { found, total };
    }

    it('find the best first, and what has no vector last', async () => {
      await put('none');
      await put('west', [vector(-1, 0)]);
      await put('east', [vector(1, 0)]);
      await put('empty', []);
      await put('north', [vector(0, 1)]);
      await put('north-east', [vector(1, 1)]);
      expect(await ranked()).toEqual({
        found: [
          ['east', 1],
          ['north-east', 0.71],
          ['north', 0],
          ['west', -1],
          ['empty', undefined],
          ['none', undefined],
        ],
        total: 6,
      });
    });

    it('take the best of the vectors of an item, once', async () => {
      await put('both', [vector(0, 1), vector(1, 0), vector(-1, 0)]);
      await put('some', [vector(1, 1)]);
      expect((await ranked()).found).toEqual([
        ['both', 1],
        ['some', 0.71],
      ]);
    });

    it('sort what is equal by labels and key, and page through it', async () => {
      for (const key of ['c', 'a', 'b']) await put(key, [vector(1, 0)]);
      await put('d', [vector(0, 1)]);
      await put('e');
      const keys = async (query: Partial<ItemQuery>) =>
        (await ranked(query)).found.map(([key]) => key);
      expect(await keys({ limit: 2 })).toEqual(['a', 'b']);
      expect(await keys({ limit: 2, offset: 2 })).toEqual(['c', 'd']);
      expect(await keys({ limit: 2, offset: 4 })).toEqual(['e']);
      expect(await keys({ limit: 2, offset: 5 })).toEqual([]);
    });

    it('rank what the filters leave, and count only that', async () => {
      await put('best', [vector(1, 0)], { n: 1 });
      await put('good', [vector(1, 1)], { n: 2 });
      await put('poor', [vector(0, 1)], { n: 2 });
      const wanted = [
        ['good', 0.71],
        ['poor', 0],
      ];
      expect(await ranked({ filter: { n: 2 } })).toEqual({ found: wanted, total: 2 });
      expect((await ranked({ matches: (text) => text.includes('2') })).found).toEqual(wanted);
      const second = { matches: (text: string) => text.includes('2'), limit: 1, offset: 1 };
      expect((await ranked(second)).found).toEqual([['poor', 0]]);
      const isVisible = ({ key }: { key: string }) => key !== 'best';
      expect(await ranked({ isVisible })).toEqual({ found: wanted, total: 2 });
      expect((await ranked({ prefix: [store.root, 'b'] })).found).toEqual([]);
    });

    it('give a vector without a direction the score 0', async () => {
      await put('zero', [vector(0, 0)]);
      await put('west', [vector(-1, 0)]);
      expect((await ranked()).found).toEqual([
        ['zero', 0],
        ['west', -1],
      ]);
      const nowhere = { index: 'one', vector: vector(0, 0) };
      expect((await ranked({ near: nowhere })).found).toEqual([
        ['west', 0],
        ['zero', 0],
      ]);
    });

    it('know nothing of the vectors of another index, which may be of another length', async () => {
      await put('mine', [vector(0, 1)]);
      await put('other', [vector(1, 0, 0)], { index: 'two' });
      expect((await ranked()).found).toEqual([
        ['mine', 0],
        ['other', undefined],
      ]);
      const two = { index: 'two', vector: vector(1, 0, 0) };
      expect((await ranked({ near: two })).found).toEqual([
        ['other', 1],
        ['mine', undefined],
      ]);
    });

    it('follow what is put and deleted', async () => {
      await put('k', [vector(1, 0), vector(0, 1)]);
      await put('k', [vector(-1, 0)]);
      expect((await ranked()).found).toEqual([['k', -1]]);
      await put('k', []);
      expect((await ranked()).found).toEqual([['k', undefined]]);
      await store.port.delete({ namespace: [store.root, 'a'], key: 'k' });
      await put('k');
      expect((await ranked()).found).toEqual([['k', undefined]]);
    });

    it('read more vectors than are looked at together', async () => {
      const many = Array.from({ length: 120 }, (_, at) => vector(-1, at));
      for (let item = 0; item < 10; item += 1) await put(`k${item}`, many);
      await put('k3', [vector(1, 0)]);
      const { found, total } = await ranked({ limit: 1 });
      expect([found, total]).toEqual([[['k3', 1]], 10]);
    });

    it('compare long vectors', async () => {
      const long = (seed: number) =>
        vector(...Array.from({ length: 1_536 }, (_, at) => Math.sin(at * seed)));
      await put('same', [long(1)]);
      await put('another', [long(2)]);
      const { found } = await ranked({ near: { index: 'one', vector: long(1) } });
      expect(found[0]).toEqual(['same', 1]);
      expect(Math.abs(Number(found[1]?.[1]))).toBeLessThan(0.1);
    });

    describe('items without vectors of an index', () => {
      const missing = async (limit = 100) => {
        const keys: string[] = [];
        let after;
        for (;;) {
          const items = await store.port.notIndexed('one', limit, after);
          keys.push(
            ...items.filter((item) => item.namespace[0] === store.root).map(({ key }) => key),
          );
          after = items.at(-1);
          if (after === undefined) return keys;
        }
      };

      it('are those of another index, or of none', async () => {
        await put('none');
        await put('other', [vector(1, 0, 0)], { index: 'two' });
        await put('mine', [vector(1, 0)]);
        await put('nothing', []);
        expect(await missing(1)).toEqual(['none', 'other']);
      });

      it('get them later, unless they were put meanwhile', async () => {
        await put('k', [vector(0, 0, 1)], { index: 'two' });
        const read = await store.get(['a'], 'k');
        if (read === undefined) throw new Error('no item');
        const indexed = { index: 'one', vectors: [{ path: 'p', values: east }] };
        await store.port.setIndexed(read, indexed);
        expect((await ranked()).found).toEqual([['k', 1]]);
        expect(await missing()).toEqual([]);
        expect(await store.get(['a'], 'k')).toEqual(read);
        await put('k', undefined, { n: 5 });
        await store.port.setIndexed(read, indexed);
        expect((await ranked()).found).toEqual([['k', undefined]]);
        expect(await missing()).toEqual(['k']);
      });

      it('keep the paths of their put', async () => {
        const address = { namespace: [store.root], key: 'k' };
        const item = { ...address, value: toJsonText({}), owner: 'ann' };
        await store.port.put({ ...item, indexPaths: ['a.b'] });
        expect((await store.get([], 'k'))?.indexPaths).toEqual(['a.b']);
        await store.port.put({ ...item, indexPaths: false });
        expect((await store.get([], 'k'))?.indexPaths).toBe(false);
        await store.port.put(item);
        expect(await store.get([], 'k')).not.toHaveProperty('indexPaths');
      });
    });
  });
}

/** A vector in a direction, of length 1, or the zero vector. */
function vector(...values: number[]): Float32Array {
  const length = Math.hypot(...values);
  return Float32Array.from(values, (value) => (length === 0 ? 0 : value / length));
}
