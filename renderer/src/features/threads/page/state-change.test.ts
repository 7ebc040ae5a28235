import { expect, test } from 'vitest';
import { memberChanges } from '../../../ui/json/member-changes.ts';
import { stateChange } from './state-change.ts';

const changeOf = (before: Record<string, unknown>, text: string) =>
  stateChange(before, memberChanges(before, text) ?? { changed: {}, removed: [] });

const first = { type: 'human', id: 'm1', content: 'Hello' };
const second = { type: 'ai', id: 'm2', content: 'Hi' };

test('sends the keys that are different', () => {
  expect(changeOf({ a: 1, b: { c: 2 } }, '{"a": 1, "b": {"c": 3}, "d": null}')).toEqual({
    update: { b: { c: 3 }, d: null },
    removed: [],
    removedMessages: 0,
  });
});

test('lists the keys that an update cannot remove', () => {
  expect(changeOf({ a: 1, b: 2 }, '{"a": 1}')).toMatchObject({ update: {}, removed: ['b'] });
});

test('sends only messages that are new or different, since they are merged', () => {
  const edited = { ...second, content: 'Hello to you' };
  const added = { role: 'user', content: 'Bye' };
  const text = JSON.stringify({ messages: [first, edited, added] });
  expect(changeOf({ messages: [first, second] }, text).update).toEqual({
    messages: [edited, added],
  });
  const shorter = JSON.stringify({ messages: [first] });
  expect(changeOf({ messages: [first, second] }, shorter).removedMessages).toBe(1);
});
