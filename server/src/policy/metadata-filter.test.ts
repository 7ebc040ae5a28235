import { expect, it } from 'vitest';

import { matchesFilter, pairsOf } from './metadata-filter.ts';

const metadata = { owner: 'ada', size: '3', team: '["a","b"]' };

it.each([
  [{ owner: 'ada' }, true],
  [{ owner: 'bob' }, false],
  [{ owner: { $eq: 'ada' } }, true],
  [{ owner: { $eq: 'bob' } }, false],
  // Metadata of threads are texts.
  [{ size: 3 }, true],
  [{ size: '3' }, true],
  [{ size: 4 }, false],
  [{ team: { $contains: 'a' } }, true],
  [{ team: { $contains: ['a', 'b'] } }, true],
  [{ team: { $contains: ['a', 'c'] } }, false],
  [{ owner: { $contains: 'ada' } }, false],
  [{ nothing: 'x' }, false],
  [{ nothing: null }, false],
  [{ constructor: Object }, false],
  [{ $or: [{ owner: 'bob' }, { owner: 'ada' }] }, true],
  [{ $or: [{ owner: 'bob' }, { owner: 'eve' }] }, false],
  [{ $and: [{ owner: 'ada' }, { size: 3 }] }, true],
  [{ $and: [{ owner: 'ada' }, { size: 4 }] }, false],
  [{ $or: [{ owner: 'ada' }, { owner: 'bob' }], size: 4 }, false],
  [{}, true],
])('%j on metadata is %s', (filter, isMatch) => {
  expect(matchesFilter(metadata, filter)).toBe(isMatch);
});

it.each([
  [{ owner: {} }],
  [{ owner: { $gt: 1 } }],
  [{ $not: [{ owner: 'bob' }] }],
  [{ $or: [] }],
  [{ $or: {} }],
  [{ $or: ['owner'] }],
  [{ owner: 'bob', $or: 'x' }],
  [{ $and: [{ $and: [{ $and: [{ owner: 'ada' }] }] }] }],
])('throws for %j, which is no filter', (filter) => {
  expect(() => matchesFilter(metadata, filter)).toThrow(
    /is neither|is not a list|is empty|levels deep/,
  );
});

it('knows the pairs that an index can be asked for', () => {
  const filter = { owner: 'ada', size: { $eq: 3 }, team: { $contains: 'a' }, $or: [{ a: 1 }] };
  expect(pairsOf(filter)).toEqual({ owner: 'ada', size: 3 });
});
