import { describe, expect, it } from 'vitest';
import { jsonText } from '../model/json-text.ts';
import { spliced, writeJson } from './json-writer.ts';

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
