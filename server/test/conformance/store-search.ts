import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MAX_METADATA_KEYS } from '../../src/model/store/item-key.ts';
import type { ItemQuery, NamespaceQuery } from '../../src/store/port.ts';
import { StoreAccess, type OpenStore } from './store-access.ts';

/** What every StorePort promises about searches and lists. */
export function describeStoreSearch(name: string, make: () => Promise<OpenStore>): void {
  describe(`searches of ${name}`, () => {
    let store: StoreAccess;
    beforeAll(async () => {
      store = new StoreAccess(await make());
    });
    beforeEach(() => store.begin());
    afterAll(() => store.close());

    describe('search', () => {
      it('finds what lies on a path and below it, sorted by labels and key', async () => {
        for (const namespace of [['b'], ['a!'], ['a', 'c'], ['a'], ['A'], ['ä'], ['a', 'B', 'x']]) {
          await store.put(namespace, 'k2');
          await store.put(namespace, 'k10');
        }
        expect((await store.search(['a'])).found).toEqual([
          'a/k10',
          'a/k2',
          'a/B/x/k10',
          'a/B/x/k2',
          'a/c/k10',
          'a/c/k2',
        ]);
        const everything = (await store.search([])).found.filter((namespace) =>
          namespace.endsWith('k2'),
        );
        expect(everything).toEqual(['A/k2', 'a/k2', 'a/B/x/k2', 'a/c/k2', 'a!/k2', 'b/k2', 'ä/k2']);
      });

      it('sorts by code points', async () => {
        // In UTF-16, which JavaScript compares, the second would come after the third.
        const keys = ['z', '\uFF5E', '😀'];
        for (const key of keys.toReversed()) await store.put([], key);
        expect((await store.search([])).found).toEqual(keys);
      });

      it.each([
        [['a'], ['ab']],
        [['a'], ['a b']],
        [['a', 'b'], ['a:b']],
        [['a', 'b'], ['a/b']],
        [['a', 'b'], ['a\u0002b']],
        [['a'], ['a\u0002']],
        [['a'], ['a%']],
        [['a_'], ['ab']],
        [['%'], ['a']],
        [['a'], ['A']],
        [['ä'], ['a\u0308']],
      ])('of %j does not find what lies on %j', async (prefix, other) => {
        await store.put(other, 'k');
        expect(await store.search(prefix)).toMatchObject({ found: [], total: 0 });
        await store.put(prefix, 'k');
        expect(await store.search(prefix)).toMatchObject({
          found: [[...prefix, 'k'].join('/')],
          total: 1,
        });
      });

      it('pages through everything', async () => {
        for (let index = 0; index < 7; index += 1) await store.put(['a'], `k${index}`);
        expect(await store.search([], { limit: 3 })).toMatchObject({
          found: ['a/k0', 'a/k1', 'a/k2'],
          total: 7,
        });
        expect(await store.search([], { limit: 3, offset: 6 })).toMatchObject({
          found: ['a/k6'],
          total: 7,
        });
        expect(await store.search([], { limit: 3, offset: 9 })).toMatchObject({
          found: [],
          total: 7,
        });
      });

      it('ends a page before it gets too large', async () => {
        for (const key of ['a', 'b', 'c']) await store.put([], key, 'x'.repeat(7 * 1024 * 1024));
        const page = await store.search([]);
        expect(page).toEqual({ found: ['a', 'b'], total: 3, isCut: true });
        const byValue = await store.search([], { matches: () => true });
        expect(byValue).toEqual({ found: ['a', 'b'], isCut: true });
      });

      it('leaves out what is not visible, also from the total', async () => {
        for (let index = 0; index < 9; index += 1) await store.put([], `k${index}`);
        const isVisible: ItemQuery['isVisible'] = ({ key, owner }) =>
          owner === 'ann' && Number(key.slice(1)) % 2 === 0;
        expect(await store.search([], { isVisible, limit: 2, offset: 1 })).toMatchObject({
          found: ['k2', 'k4'],
          total: 5,
        });
      });

      it('looks into values, over many rows', async () => {
        const keys = Array.from({ length: 1_100 }, (_, index) => String(index).padStart(4, '0'));
        await inTurns(keys, (key) => store.put([], key, { n: Number(key) }));
        const matches: ItemQuery['matches'] = (value) => value.endsWith('9}');
        const page = await store.search([], { matches, limit: 3, offset: 105 });
        expect(page).toEqual({ found: ['1059', '1069', '1079'] });
        expect((await store.search([], { limit: 100_000 })).found).toEqual(keys);
        const visible = await store.search([], { isVisible: () => true, limit: 2, offset: 1_098 });
        expect(visible).toMatchObject({ found: ['1098', '1099'], total: 1_100 });
      });
    });

    describe('a filter', () => {
      const stored = {
        word: { a: 'x', b: 1 },
        number: { a: 1 },
        text: { a: '1' },
        truth: { a: true },
        nothing: { a: null },
        none: {},
        list: { a: [1, 2] },
        object: { a: { x: 1, y: { z: [] } } },
        unicode: { 'ü "quoted"': '\u0000😀' },
      };
      it.each<[object, string[]]>([
        [{}, Object.keys(stored).toSorted()],
        [{ a: 'x' }, ['word']],
        [{ a: 'x', b: 1 }, ['word']],
        [{ a: 'x', b: 2 }, []],
        [{ a: 1 }, ['number']],
        [{ a: 1.0 }, ['number']],
        [{ a: '1' }, ['text']],
        [{ a: true }, ['truth']],
        [{ a: null }, ['nothing']],
        [{ a: [1, 2] }, ['list']],
        [{ a: [2, 1] }, []],
        [{ a: [1] }, []],
        [{ a: { y: { z: [] }, x: 1 } }, ['object']],
        [{ a: { x: 1 } }, []],
        [{ a: {} }, []],
        [{ 'ü "quoted"': '\u0000😀' }, ['unicode']],
        [{ missing: null }, []],
        [{ a: { $ne: 1 } }, []],
      ])('%j fits %j', async (filter, found) => {
        for (const [key, metadata] of Object.entries(stored))
          await store.put(['m'], key, 0, metadata);
        const page = await store.search([], { filter: { ...filter } });
        expect(page).toMatchObject({ found: found.map((key) => `m/${key}`), total: found.length });
      });

      it('sees what the metadata is now', async () => {
        await store.put([], 'k', 0, { a: 1, b: 1 });
        await store.put([], 'k', 0, { a: 2, b: 1 });
        expect((await store.search([], { filter: { a: 1 } })).found).toEqual([]);
        expect((await store.search([], { filter: { a: 2, b: 1 } })).found).toEqual(['k']);
        await store.put([], 'k', 0, {});
        expect((await store.search([], { filter: { b: 1 } })).found).toEqual([]);
      });

      it('may have as many members as metadata has', async () => {
        const metadata = Object.fromEntries(
          Array.from({ length: MAX_METADATA_KEYS }, (_, index) => [`k${index}`, index]),
        );
        await store.put([], 'k', 0, metadata);
        expect((await store.search([], { filter: metadata })).found).toEqual(['k']);
        expect((await store.search([], { filter: { ...metadata, k7: 8 } })).found).toEqual([]);
      });

      it('stays below the path', async () => {
        await store.put(['a'], 'k', 0, { m: 1 });
        await store.put(['b'], 'k', 0, { m: 1 });
        expect(await store.search(['b'], { filter: { m: 1 } })).toMatchObject({
          found: ['b/k'],
          total: 1,
        });
      });
    });

    describe('namespaces', () => {
      it('are those that have items, sorted by labels', async () => {
        for (const path of [['b'], ['a', 'c'], ['a!'], ['a', 'b', 'c'], ['b']])
          await store.put(path, 'k');
        await store.put([], 'k');
        expect(await store.namespaces()).toEqual({
          found: ['', 'a/b/c', 'a/c', 'a!', 'b'],
          total: 5,
        });
        await store.port.delete({ namespace: [store.root, 'b'], key: 'k' });
        expect((await store.namespaces()).found).toEqual(['', 'a/b/c', 'a/c', 'a!']);
      });

      it('fit conditions, with * for any label', async () => {
        const paths = [['a', 'x', 'v1'], ['a', 'y', 'v2'], ['b', 'x', 'v1'], ['ab'], ['a']];
        for (const path of paths) await store.put(path, 'k');
        const at = (where: 'prefix' | 'suffix', ...labels: string[]) => ({ at: where, labels });
        const found = async (...conditions: NamespaceQuery['conditions']) =>
          (await store.namespaces({ conditions })).found;
        expect(await found(at('prefix', store.root, 'a'))).toEqual(['a', 'a/x/v1', 'a/y/v2']);
        expect(await found(at('prefix', store.root, '*', 'x'))).toEqual(['a/x/v1', 'b/x/v1']);
        expect(await found(at('suffix', 'v1'))).toEqual(['a/x/v1', 'b/x/v1']);
        expect(await found(at('suffix', 'y', '*'))).toEqual(['a/y/v2']);
        expect(await found(at('prefix', store.root, 'a'), at('suffix', 'v1'))).toEqual(['a/x/v1']);
        expect(await found(at('suffix', ...Array<string>(9).fill('*')))).toEqual([]);
      });

      it('are cut to a depth, each once', async () => {
        for (const path of [['a', 'x', '1'], ['a', 'x', '2'], ['a', 'y'], ['b']])
          await store.put(path, 'k');
        expect(await store.namespaces({ maxDepth: 2 })).toEqual({ found: ['a', 'b'], total: 2 });
        expect(await store.namespaces({ maxDepth: 3 })).toEqual({
          found: ['a/x', 'a/y', 'b'],
          total: 3,
        });
      });

      it('come in pages, without what is not visible', async () => {
        const labels = Array.from(
          { length: 1_050 },
          (_, index) => `n${String(index).padStart(4, '0')}`,
        );
        await inTurns(labels, (label) => store.put([label], 'k'));
        expect(await store.namespaces({ limit: 2, offset: 1_048 })).toEqual({
          found: ['n1048', 'n1049'],
          total: 1_050,
        });
        const isVisible: NamespaceQuery['isVisible'] = (path) =>
          path.at(-1)?.endsWith('7') === true;
        expect(await store.namespaces({ isVisible, limit: 2, offset: 1 })).toEqual({
          found: ['n0017', 'n0027'],
          total: 105,
        });
      });
    });
  });
}

/** Does it for all of them, some at the same time. */
async function inTurns<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  for (let from = 0; from < all.length; from += 50) {
    await Promise.all(all.slice(from, from + 50).map(work));
  }
}
