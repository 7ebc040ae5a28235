import { expect, test } from 'vitest';
import { jsonCall, openJson } from './json-client.ts';

test('a document returns its outline first and its parts on request', async () => {
  const text = JSON.stringify({ messages: [{ role: 'user' }], count: 2, note: null });
  const document = await openJson({ text });
  expect(document.outline).toMatchObject({ kind: 'object', count: 3, path: [] });
  expect(
    (await jsonCall('children', [document.id, [], 0, 2])).map(({ path, kind, count }) => [
      path,
      kind,
      count,
    ]),
  ).toEqual([
    [['messages'], 'array', 1],
    [['count'], 'number', 0],
  ]);
  expect(await jsonCall('text', [document.id, ['messages', 0]])).toBe('{\n  "role": "user"\n}');
  document.close();
});

test('two documents are compared by previews and sizes', async () => {
  const before = await openJson({ value: { a: 'x', gone: [1] } });
  const after = await openJson({
    bytes: new TextEncoder().encode('{"a": "a longer text"}').buffer,
  });
  expect(await jsonCall('diff', [before.id, after.id])).toEqual({
    total: 2,
    changes: [
      {
        kind: 'changed',
        path: ['a'],
        beforePath: ['a'],
        before: '"x"',
        after: '"a longer text"',
        beforeSize: 3,
        afterSize: 15,
      },
      {
        kind: 'removed',
        path: ['gone'],
        beforePath: ['gone'],
        before: '[1]',
        beforeSize: 4,
        afterSize: 0,
      },
    ],
  });
});

test('a list is read without its heavy member', async () => {
  const document = await openJson({ value: [{ id: 1, values: { a: 'xyz', b: [] } }] });
  expect(await jsonCall('skeletons', [document.id, 'values'])).toEqual([
    {
      item: { id: 1 },
      size: expect.any(Number),
      sizes: { a: 5, b: 2 },
      prints: { a: expect.any(Number), b: expect.any(Number) },
    },
  ]);
});

test('invalid JSON is refused with the reason', async () => {
  await expect(openJson({ text: '{"a": ' })).rejects.toThrow(/JSON/);
});

test('an object without its large members keeps their keys, and the wanted members', async () => {
  const large = 'x'.repeat(20_000);
  const values = { messages: [large], records: [large], count: 1 };
  const document = await openJson({ value: { thread_id: 'a', values } });
  expect(await jsonCall('lean', [document.id, 'values', ['messages']])).toEqual({
    thread_id: 'a',
    values: { messages: [large], records: undefined, count: 1 },
  });
  expect(await jsonCall('outline', [document.id, ['values']])).toMatchObject({ count: 3 });
});
