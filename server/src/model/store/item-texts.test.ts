import { expect, it } from 'vitest';
import { itemTexts } from './item-texts.ts';

const value = {
  b: 'two',
  a: { x: 1, ü: 'é😀', n: null, f: 1.5 },
  list: [{ t: 'one', k: true }, { t: 'two' }, 'three'],
  empty: [],
  '{': 1,
  't.u': 9,
};

// What langgraph.store.base.get_text_at_path (langgraph-checkpoint 4) returns for the same value.
it.each<[path: string, texts: string[]]>([
  [
    '$',
    [
      '{"a": {"f": 1.5, "n": null, "x": 1, "ü": "é😀"}, "b": "two", "empty": [], "list": [{"k": true, "t": "one"}, {"t": "two"}, "three"], "t.u": 9, "{": 1}',
    ],
  ],
  [
    '',
    [
      '{"a": {"f": 1.5, "n": null, "x": 1, "ü": "é😀"}, "b": "two", "empty": [], "list": [{"k": true, "t": "one"}, {"t": "two"}, "three"], "t.u": 9, "{": 1}',
    ],
  ],
  ['b', ['two']],
  ['a', ['{"f": 1.5, "n": null, "x": 1, "ü": "é😀"}']],
  ['a.x', ['1']],
  ['a.n', []],
  ['a.f', ['1.5']],
  ['a.missing', []],
  ['list', ['[{"k": true, "t": "one"}, {"t": "two"}, "three"]']],
  ['list[0]', ['{"k": true, "t": "one"}']],
  ['list[0].t', ['one']],
  ['list[-1]', ['three']],
  ['list[9]', []],
  ['list[*].t', ['one', 'two']],
  ['list[*].k', ['True']],
  ['list[*]', ['{"k": true, "t": "one"}', '{"t": "two"}', 'three']],
  ['list[x]', []],
  [
    '*',
    [
      'two',
      '{"f": 1.5, "n": null, "x": 1, "ü": "é😀"}',
      '[{"k": true, "t": "one"}, {"t": "two"}, "three"]',
      '[]',
      '1',
      '9',
    ],
  ],
  ['a.*', ['1', 'é😀', '1.5']],
  ['list.*', ['{"k": true, "t": "one"}', '{"t": "two"}', 'three']],
  ['{b,a.x}', ['two', '1']],
  ['a.{x,f, n}', ['1', '1.5']],
  ['{b, missing}', ['two']],
  ['list[*].{t,k}', ['one', 'True', 'two']],
  ['empty', ['[]']],
  ['empty[*]', []],
  ['b.c', []],
  ['b[0]', []],
  ['a[0]', []],
  ['.b', ['two']],
  ['a..x', ['1']],
  ['a.x.', ['1']],
  ['list[0', []],
  ['{b', []],
])('finds at %j what LangGraph finds', (path, texts) => {
  expect(itemTexts(value, [path]).map(({ text }) => text)).toEqual(texts);
});

it('names each text by its path, and by a number where there are several', () => {
  expect(itemTexts(value, ['b', 'list[*].t', 'a.n'])).toEqual([
    { path: 'b', text: 'two' },
    { path: 'list[*].t.0', text: 'one' },
    { path: 'list[*].t.1', text: 'two' },
  ]);
});
