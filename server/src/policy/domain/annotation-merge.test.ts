/** @module-tag seeds */
import { fc } from '../../../test/fixtures/fast-check.ts';
import { expect, it } from 'vitest';

import type { Json } from '../../model/json.ts';
import { mergedAnnotations, mergedValue } from './annotation-merge.ts';
import { type MergeStrategy, mergeStrategies } from './domain-schema.ts';

const list = [1, { a: 1 }];
const members = { a: { b: 1, c: [1] }, d: 1 };

/** Weaker, stronger, and what they are together under each strategy. */
const table: [Json, Json, Record<MergeStrategy, Json>][] = [
  [
    'w',
    's',
    { replace: 's', append: ['w', 's'], prepend: ['s', 'w'], union: ['w', 's'], deep: 's' },
  ],
  [1, 1, { replace: 1, append: [1, 1], prepend: [1, 1], union: [1], deep: 1 }],
  [1, '1', { replace: '1', append: [1, '1'], prepend: ['1', 1], union: [1, '1'], deep: '1' }],
  [null, 's', { replace: 's', append: ['s'], prepend: ['s'], union: ['s'], deep: 's' }],
  ['w', null, { replace: null, append: ['w'], prepend: ['w'], union: ['w'], deep: null }],
  [null, null, { replace: null, append: [], prepend: [], union: [], deep: null }],
  [
    true,
    false,
    {
      replace: false,
      append: [true, false],
      prepend: [false, true],
      union: [true, false],
      deep: false,
    },
  ],
  [
    list,
    1,
    { replace: 1, append: [1, { a: 1 }, 1], prepend: [1, 1, { a: 1 }], union: list, deep: 1 },
  ],
  [
    1,
    list,
    { replace: list, append: [1, 1, { a: 1 }], prepend: [1, { a: 1 }, 1], union: list, deep: list },
  ],
  [list, null, { replace: null, append: list, prepend: list, union: list, deep: null }],
  [
    list,
    [{ a: 1 }, 2, 2],
    {
      replace: [{ a: 1 }, 2, 2],
      append: [1, { a: 1 }, { a: 1 }, 2, 2],
      prepend: [{ a: 1 }, 2, 2, 1, { a: 1 }],
      union: [1, { a: 1 }, 2],
      deep: [{ a: 1 }, 2, 2],
    },
  ],
  [
    members,
    { a: { b: 2, e: 3 }, f: null },
    {
      replace: { a: { b: 2, e: 3 }, f: null },
      append: [members, { a: { b: 2, e: 3 }, f: null }],
      prepend: [{ a: { b: 2, e: 3 }, f: null }, members],
      union: { a: { b: 2, e: 3 }, d: 1, f: null },
      deep: { a: { b: 2, c: [1], e: 3 }, d: 1, f: null },
    },
  ],
  [
    members,
    1,
    { replace: 1, append: [members, 1], prepend: [1, members], union: [members, 1], deep: 1 },
  ],
  [
    1,
    members,
    {
      replace: members,
      append: [1, members],
      prepend: [members, 1],
      union: [1, members],
      deep: members,
    },
  ],
  [
    members,
    null,
    { replace: null, append: [members], prepend: [members], union: [members], deep: null },
  ],
  [
    null,
    members,
    { replace: members, append: [members], prepend: [members], union: [members], deep: members },
  ],
  [
    list,
    { x: 1 },
    {
      replace: { x: 1 },
      append: [...list, { x: 1 }],
      prepend: [{ x: 1 }, ...list],
      union: [...list, { x: 1 }],
      deep: { x: 1 },
    },
  ],
  [
    { x: 1 },
    list,
    {
      replace: list,
      append: [{ x: 1 }, ...list],
      prepend: [...list, { x: 1 }],
      union: [{ x: 1 }, ...list],
      deep: list,
    },
  ],
];

it.each(table)('%j under %j', (weaker, stronger, expected) => {
  const merged = mergeStrategies.map((one) => [one, mergedValue(one, weaker, stronger)]);
  expect(Object.fromEntries(merged)).toEqual(expected);
});

it('merges layers from the weakest on, each by its own strategy', () => {
  const layers = [
    [{ name: 'tags', value: ['a'] }],
    [{ name: 'tags', value: ['b'], merge: 'append' as const }],
    [{ name: 'tags', value: ['c'], merge: 'prepend' as const }],
  ];
  expect(mergedAnnotations(layers)).toEqual({ tags: ['c', 'a', 'b'] });
});

it('merges by the strategy of the weaker annotation where the stronger names none', () => {
  const weaker = { name: 'tags', value: ['a'], merge: 'union' as const };
  const stronger = { name: 'tags', value: ['b', 'a'] };
  expect(mergedAnnotations([[weaker], [stronger], [stronger]])).toEqual({ tags: ['a', 'b'] });
  const replacing = { ...stronger, merge: 'replace' as const };
  expect(mergedAnnotations([[weaker], [replacing]])).toEqual({ tags: ['b', 'a'] });
});

it('replaces by default, and keeps what only one layer has', () => {
  const layers = [
    [
      { name: 'a', value: 1 },
      { name: 'b', value: 1 },
    ],
    [{ name: 'a', value: [2] }],
    [{ name: '__proto__', value: { isAdmin: true } }],
  ];
  const merged = mergedAnnotations(layers);
  expect(Object.entries(merged)).toEqual([
    ['a', [2]],
    ['b', 1],
    ['__proto__', { isAdmin: true }],
  ]);
  expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
});

it('finds equal entries of long lists in time', () => {
  const weaker = Array.from({ length: 20_000 }, (_, id) => ({ id, name: 'x' }));
  const stronger = weaker.map(({ id, name }) => ({ name, id })).toReversed();
  expect(mergedValue('union', weaker, stronger)).toEqual(weaker);
});

const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>; // the library's type has no readonly lists
const strategy = fc.constantFrom(...mergeStrategies);

it('gives the same for the same, and changes neither value', () => {
  fc.assert(
    fc.property(strategy, json, json, (one, weaker, stronger) => {
      const before = JSON.stringify([weaker, stronger]);
      const merged = mergedValue(one, weaker, stronger);
      expect(mergedValue(one, weaker, stronger)).toEqual(merged);
      expect(JSON.stringify([weaker, stronger])).toBe(before);
    }),
  );
});

it('merges a value with itself into itself under replace, deep, and union of objects', () => {
  fc.assert(
    fc.property(json, fc.dictionary(fc.string(), json), (value, object) => {
      expect(mergedValue('replace', value, value)).toEqual(value);
      expect(mergedValue('deep', value, value)).toEqual(value);
      expect(mergedValue('union', object, object)).toEqual(object);
    }),
  );
});

it('is associative under every strategy on lists', () => {
  const lists = fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 5 });
  fc.assert(
    fc.property(strategy, lists, lists, lists, (one, a, b, c) => {
      const left = mergedValue(one, mergedValue(one, a, b), c);
      expect(mergedValue(one, a, mergedValue(one, b, c))).toEqual(left);
    }),
  );
});

it('keeps under union every entry of both lists once, and under deep every member of both objects', () => {
  const lists = fc.array(json, { maxLength: 5 });
  fc.assert(
    fc.property(lists, lists, (a, b) => {
      const merged = mergedValue('union', a, b) as Json[]; // of two lists it is a list
      const texts = [...a, ...b].map((one) => JSON.stringify(one));
      for (const one of merged) expect(texts).toContain(JSON.stringify(one));
      expect(mergedValue('union', merged, b)).toEqual(merged);
    }),
  );
  const objects = fc.dictionary(fc.string(), json);
  fc.assert(
    fc.property(objects, objects, (a, b) => {
      const names = new Set([...Object.keys(a), ...Object.keys(b)]);
      expect(new Set(Object.keys(mergedValue('deep', a, b) as object))).toEqual(names);
    }),
  );
});
