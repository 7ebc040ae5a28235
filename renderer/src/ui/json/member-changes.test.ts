import { expect, test } from 'vitest';
import { memberChanges } from './member-changes.ts';

test('members that are new or different are changed, missing ones removed', () => {
  const before = { same: [1], other: { a: 1 }, gone: 0 };
  expect(memberChanges(before, '{"same": [1], "other": {"a": 2}, "added": null}')).toEqual({
    changed: { other: { a: 2 }, added: null },
    removed: ['gone'],
  });
});

test.each(['[1]', 'null', '{', '7'])('%s is no object', (text) => {
  expect(memberChanges({}, text)).toBeUndefined();
});
