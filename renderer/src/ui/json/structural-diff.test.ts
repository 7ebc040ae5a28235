import { expect, test } from 'vitest';
import { pathText } from './json-path.ts';
import { structuralDiff } from './structural-diff.ts';

function summary(before: unknown, after: unknown): string[] {
  return structuralDiff(before, after).map(
    ({ kind, path, before: was, after: is }) =>
      `${kind} ${pathText(path)}: ${JSON.stringify(was)} → ${JSON.stringify(is)}`,
  );
}

test('values that are equal have no differences, whatever the order of keys', () => {
  expect(summary({ a: 1, b: [{ x: null }] }, { b: [{ x: null }], a: 1 })).toEqual([]);
});

test('reports the smallest part that differs', () => {
  expect(summary({ a: { b: [1, { c: 'x' }] } }, { a: { b: [1, { c: 'y' }] } })).toEqual([
    'changed a.b[1].c: "x" → "y"',
  ]);
});

test('a key that was added or removed is one change', () => {
  expect(summary({ a: 1, b: { x: 1 } }, { a: 1, c: [] })).toEqual([
    'removed b: {"x":1} → undefined',
    'added c: undefined → []',
  ]);
});

test('an insertion at the front of an array is one change', () => {
  expect(summary(['b', 'c', 'd'], ['a', 'b', 'c', 'd'])).toEqual(['added [0]: undefined → "a"']);
});

test('elements are the same by their id, also when they moved and changed', () => {
  const before = [
    { id: '1', text: 'a' },
    { id: '2', text: 'b' },
  ];
  const after = [
    { id: '0', text: 'n' },
    { id: '1', text: 'a' },
    { id: '2', text: 'B' },
  ];
  expect(summary(before, after)).toEqual([
    'added [0]: undefined → {"id":"0","text":"n"}',
    'changed [2].text: "b" → "B"',
  ]);
});

test('another type at the same path is a change of the whole', () => {
  expect(summary({ a: [] }, { a: {} })).toEqual(['changed a: [] → {}']);
  expect(summary({ a: 1 }, { a: '1' })).toEqual(['changed a: 1 → "1"']);
  expect(summary({ a: null }, { a: 'null' })).toEqual(['changed a: null → "null"']);
});

test('compares arrays of fifty thousand different elements', () => {
  const before = Array.from({ length: 50_000 }, (_, index) => ({ n: index }));
  const after = before.map(({ n }) => ({ n: n % 2 === 0 ? n : -n }));
  expect(structuralDiff(before, after)).toHaveLength(25_000);
});
