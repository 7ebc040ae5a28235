import { expect, test } from 'vitest';
import { metadataFilter } from './metadata-filter.ts';
import { namespaceRows, pathKey } from './namespace-tree.ts';

const paths = [['users', '42', 'notes'], ['users', '7'], ['agents']];

test('namespaces are a tree, including those in between', () => {
  expect(namespaceRows(paths, new Set()).map(({ level, label }) => [level, label])).toEqual([
    [0, 'Everything'],
    [1, 'agents'],
    [1, 'users'],
    [2, '42'],
    [3, 'notes'],
    [2, '7'],
  ]);
});

test('what is below a closed namespace is not shown', () => {
  const closed = new Set([pathKey(['users', '42'])]);
  expect(namespaceRows(paths, closed).map(({ label }) => label)).not.toContain('notes');
  expect(namespaceRows(paths, new Set([pathKey(['users'])]))).toHaveLength(3);
});

test('a filter names members of the metadata with their values', () => {
  expect(metadataFilter('kind=note size=3 done=true text="two words" id="7"')).toEqual({
    kind: 'note',
    size: 3,
    done: true,
    text: 'two words',
    id: '7',
  });
  expect(metadataFilter('')).toEqual({});
  expect(metadataFilter('note')).toBeUndefined();
});
