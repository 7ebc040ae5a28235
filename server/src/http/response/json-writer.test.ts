import { describe, expect, it } from 'vitest';
import { jsonText } from '../../model/json.ts';
import {
  streamedJson,
  streamedJsonList,
  isStreamedJson,
  jsonPieces,
  spliced,
  writeJson,
} from './json-writer.ts';

describe('writeJson', () => {
  it.each([
    [{ a: 1, b: 'x"y', c: [true, null], d: { e: undefined, f: 1.5 } }],
    [[]],
    [{}],
    [[undefined, 1]],
    ['text\u2028'],
    [null],
    [{ 'odd "key"\n': 1 }],
  ])('writes %j as JSON.stringify does', (value) => {
    expect(writeJson(value)).toBe(JSON.stringify(value));
  });

  it('puts spliced documents in as they are', () => {
    const values = spliced(jsonText('{"n": 1.0}'));
    expect(writeJson({ list: [values], values })).toBe('{"list":[{"n": 1.0}],"values":{"n": 1.0}}');
  });
});

describe('jsonPieces', () => {
  async function written(body: unknown): Promise<unknown> {
    let text = '';
    for await (const piece of jsonPieces(body)) text += Buffer.from(piece as string).toString(); // either kind
    return JSON.parse(text);
  }

  async function* items(...values: unknown[]): AsyncGenerator<unknown> {
    yield* values;
  }

  it.each([[[]], [[{ a: 1 }, 2, null]]])('writes the list %j item by item', async (list) => {
    const body = streamedJsonList(items(...list));
    expect([isStreamedJson(body), await written(body)]).toEqual([true, list]);
  });

  it('writes members in pieces beside ordinary ones', async () => {
    const values = streamedJson([Buffer.from('{"a":'), '"é"', Buffer.from('}')]);
    const body = {
      id: 'x',
      left: undefined,
      values,
      list: streamedJsonList(items({ values })),
      n: [1],
    };
    expect(await written(body)).toEqual({
      id: 'x',
      values: { a: 'é' },
      list: [{ values: { a: 'é' } }],
      n: [1],
    });
  });

  it('refuses pieces where they would be lost', () => {
    expect(isStreamedJson({ deep: { values: streamedJson(['{}']) } })).toBe(false);
    expect(() => writeJson({ deep: { values: streamedJson(['{}']) } })).toThrow('too deep');
  });
});
