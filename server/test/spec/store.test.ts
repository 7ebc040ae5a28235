// Specification, chapters "Store item" and "Endpoints: Store". The service has its store switched on.
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import type { JsonResponse } from '../fixtures/call.ts';
import { specService } from '../fixtures/spec-service.ts';
import { aFailure, aTimestamp } from '../fixtures/wire-patterns.ts';

const service = specService();

let root: string;
beforeEach(() => {
  root = `spec-${randomUUID()}`;
});

/** `/store/items?namespace=<root>.<path>&key=<key>` */
const at = (path: string, key: string): string =>
  `/store/items?namespace=${root}${path === '' ? '' : `.${path}`}&key=${key}`;

async function put(path: string, key: string, value: unknown, metadata?: object): Promise<void> {
  const response = await service.put(at(path, key), { value, ...(metadata && { metadata }) });
  expect([response.status, response.body]).toEqual([204, undefined]);
}

const keysOf = ({ body }: JsonResponse): string[] =>
  (body as { items: { key: string }[] }).items.map(({ key }) => key);

describe('PUT and GET /store/items', () => {
  it.each([[{ a: [1, 'x', null] }], ['text'], [1.5], [true], [null], [[]]])(
    'keep any JSON: %j',
    async (value) => {
      await put('a.b', 'k', value, { color: 'red', nested: { n: 1 } });
      const response = await service.get(at('a.b', 'k'));
      expect([response.status, response.body]).toEqual([
        200,
        {
          namespace: [root, 'a', 'b'],
          key: 'k',
          value,
          metadata: { color: 'red', nested: { n: 1 } },
          created_at: aTimestamp,
          updated_at: aTimestamp,
        },
      ]);
    },
  );

  it('take a dotted path or the parameter repeated', async () => {
    await put('a', 'k', 1);
    const repeated = `/store/items?namespace=${root}&namespace=a&key=k`;
    expect((await service.get(repeated)).body).toMatchObject({ namespace: [root, 'a'], value: 1 });
    expect((await service.put(repeated, { value: 2 })).status).toBe(204);
    expect((await service.get(at('a', 'k'))).body).toMatchObject({ value: 2, metadata: {} });
  });

  it('replace the whole item; the time of its creation stays', async () => {
    await put('', 'k', 1, { m: 1 });
    const first = (await service.get(at('', 'k'))).body as { created_at: string };
    await put('', 'k', 2);
    expect((await service.get(at('', 'k'))).body).toMatchObject({
      value: 2,
      metadata: {},
      created_at: first.created_at,
    });
  });

  it('refuse a body without value, and what is no path or key', async () => {
    const refused: [string, unknown][] = [
      [at('', 'k'), {}],
      [at('', 'k'), { metadata: {} }],
      [at('', 'k'), { value: 1, metadata: 'text' }],
      [at('', ''), { value: 1 }],
      [`/store/items?namespace=${root}`, { value: 1 }],
      ['/store/items?key=k', { value: 1 }],
      ['/store/items?namespace=&key=k', { value: 1 }],
      ['/store/items?namespace=a..b&key=k', { value: 1 }],
      ['/store/items?namespace=a.b&namespace=c&key=k', { value: 1 }],
      ['/store/items?namespace=a&namespace=&key=k', { value: 1 }],
      ['/store/items?namespace=a%00b&key=k', { value: 1 }],
      ['/store/items?namespace=a&key=k&key=l', { value: 1 }],
      [`/store/items?namespace=${'x'.repeat(2_000)}&key=k`, { value: 1 }],
      [`/store/items?namespace=a&key=${'x'.repeat(513)}`, { value: 1 }],
    ];
    for (const [path, body] of refused) {
      const response = await service.put(path, body);
      expect([path, response.status, response.body]).toEqual([
        path,
        400,
        aFailure('invalid_request'),
      ]);
    }
  });

  it('respond with 404 for an item that does not exist', async () => {
    const response = await service.get(at('', 'missing'));
    expect([response.status, response.body]).toEqual([404, aFailure('item_not_found')]);
  });
});

describe('DELETE /store/items', () => {
  it('responds with 204 and nothing, also for a missing item', async () => {
    await put('', 'k', 1);
    for (let times = 0; times < 2; times += 1) {
      const response = await service.delete(at('', 'k'));
      expect([response.status, response.body]).toEqual([204, undefined]);
    }
    expect((await service.get(at('', 'k'))).status).toBe(404);
  });
});

describe('POST /store/items/search', () => {
  const search = (body: object, namespace: unknown = [root]) =>
    service.post('/store/items/search', { namespace, ...body });

  it('finds the items on a path and below it, sorted by path and key, without a total', async () => {
    await put('b', 'k1', 1);
    await put('a.x', 'k3', 1);
    await put('a', 'k2', 1, { m: 'x' });
    await put('ab', 'k4', 1);
    const response = await search({});
    expect([response.status, keysOf(response)]).toEqual([200, ['k2', 'k3', 'k4', 'k1']]);
    expect(response.headers.get('X-Pagination-Total')).toBe('4');
    expect((await search({}, [root, 'a'])).body).toEqual({
      items: [
        {
          namespace: [root, 'a'],
          key: 'k2',
          value: 1,
          metadata: { m: 'x' },
          created_at: aTimestamp,
          updated_at: aTimestamp,
        },
        expect.objectContaining({ namespace: [root, 'a', 'x'], key: 'k3' }),
      ],
    });
  });

  it('filters by metadata', async () => {
    await put('', 'one', { m: 'wrong' }, { m: 'x', n: 1 });
    await put('', 'two', { m: 'x' }, { m: 'y', n: 1 });
    await put('', 'three', { m: 'x' });
    const found = async (filter: object) => keysOf(await search({ filter }));
    expect(await found({ m: 'x' })).toEqual(['one']);
    expect(await found({ n: 1 })).toEqual(['one', 'two']);
    expect(await found({ m: 'y', n: 1 })).toEqual(['two']);
    expect(await found({ n: '1' })).toEqual([]);
    expect(await found({})).toEqual(['one', 'three', 'two']);
  });

  it('gives 100 by default, in pages', async () => {
    for (let index = 0; index < 101; index += 1) await put('', String(1000 + index), index);
    const first = await search({});
    expect(keysOf(first)).toHaveLength(100);
    expect(first.headers.get('X-Pagination-Total')).toBe('101');
    expect(first.headers.get('X-Pagination-Next')).toBe('100');
    const rest = await search({ offset: 100 });
    expect([keysOf(rest), rest.headers.get('X-Pagination-Next')]).toEqual([['1100'], null]);
    expect(keysOf(await search({ limit: 2, offset: 1 }))).toEqual(['1001', '1002']);
    expect(keysOf(await search({ limit: 1000 }))).toHaveLength(101);
  });

  it('refuses a namespace that is no array of strings, and limits out of bounds', async () => {
    const refused = [
      { namespace: root },
      { namespace: `${root}.a` },
      { namespace: [root, 1] },
      { namespace: null },
      { namespace: { 0: root } },
      { namespace: ['a.b'] },
      { namespace: [''] },
      {},
      { namespace: [root], filter: 'x' },
      { namespace: [root], limit: 0 },
      { namespace: [root], limit: 1001 },
      { namespace: [root], limit: '5' },
      { namespace: [root], offset: -1 },
    ];
    for (const body of refused) {
      const response = await service.post('/store/items/search', body);
      expect([body, response.status, response.body]).toEqual([
        body,
        400,
        aFailure('invalid_request'),
      ]);
    }
  });
});

describe('POST /store/namespaces', () => {
  const list = (body: object) => service.post('/store/namespaces', body);

  it('lists the paths below a prefix, sorted', async () => {
    for (const path of ['b', 'a.x', 'a', 'a.y']) await put(path, 'k', 1);
    const response = await list({ prefix: [root] });
    expect([response.status, response.body]).toEqual([
      200,
      {
        namespaces: [
          [root, 'a'],
          [root, 'a', 'x'],
          [root, 'a', 'y'],
          [root, 'b'],
        ],
      },
    ]);
    expect(response.headers.get('X-Pagination-Total')).toBe('4');
    const page = await list({ prefix: [root, 'a'], limit: 1, offset: 1 });
    expect(page.body).toEqual({ namespaces: [[root, 'a', 'x']] });
    expect(page.headers.get('X-Pagination-Next')).toBe('2');
  });

  it('needs no body', async () => {
    await put('', 'k', 1);
    const response = await service.post('/store/namespaces');
    expect(response.status).toBe(200);
    const { namespaces } = response.body as { namespaces: string[][] };
    expect(namespaces.length).toBeGreaterThan(0);
    expect(namespaces.length).toBeLessThanOrEqual(100);
  });

  it('returns 100 of 101 without a limit', async () => {
    for (let index = 0; index < 101; index += 1) await put(String(1000 + index), 'k', index);
    const first = await list({ prefix: [root] });
    expect((first.body as { namespaces: string[][] }).namespaces).toHaveLength(100);
    expect(first.headers.get('X-Pagination-Total')).toBe('101');
    const all = await list({ prefix: [root], limit: 1000 });
    expect((all.body as { namespaces: string[][] }).namespaces).toHaveLength(101);
  });

  it('takes suffix, max_depth and * as extensions', async () => {
    for (const path of ['a.x.v1', 'b.x.v1', 'b.y.v2']) await put(path, 'k', 1);
    const found = async (body: object) =>
      (await list({ prefix: [root], ...body })).body as { namespaces: string[][] };
    expect(await found({ suffix: ['v1'] })).toEqual({
      namespaces: [
        [root, 'a', 'x', 'v1'],
        [root, 'b', 'x', 'v1'],
      ],
    });
    expect(await found({ prefix: [root, '*', 'y'] })).toEqual({
      namespaces: [[root, 'b', 'y', 'v2']],
    });
    expect(await found({ max_depth: 2 })).toEqual({
      namespaces: [
        [root, 'a'],
        [root, 'b'],
      ],
    });
  });

  it('refuses limits out of bounds and what is no path', async () => {
    for (const body of [
      { limit: 0 },
      { limit: 1001 },
      { offset: -1 },
      { prefix: 'a' },
      { prefix: ['a.b'] },
    ]) {
      const response = await list(body);
      expect([body, response.status, response.body]).toEqual([
        body,
        400,
        aFailure('invalid_request'),
      ]);
    }
  });
});
