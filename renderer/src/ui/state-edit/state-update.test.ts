import { expect, test } from 'vitest';
import { memberChanges } from '../json/member-changes.ts';
import { stateUpdate } from './state-update.ts';

const editOf = (before: unknown, after: unknown) =>
  stateUpdate(before, memberChanges(before, JSON.stringify(after)));

test('only keys that differ are sent', () => {
  expect(editOf({ a: 1, b: [1] }, { a: 2, b: [1], c: null })).toEqual({
    update: { a: 2, c: null },
  });
});

test('of the messages only new, changed and removed ones are sent', () => {
  const message = (id: string, content: string) => ({ id, content, type: 'human' });
  const before = { messages: [message('1', 'a'), message('2', 'b'), message('3', 'c')] };
  const after = {
    messages: [message('1', 'a'), message('3', 'C'), { content: 'new', type: 'human' }],
  };
  expect(editOf(before, after).update).toEqual({
    messages: [
      { type: 'remove', content: '', id: '2' },
      message('3', 'C'),
      { content: 'new', type: 'human' },
    ],
  });
});

test('reports what the service cannot do', () => {
  expect(editOf({ a: 1 }, {}).problem).toMatch(/set a to null/);
  expect(editOf({ a: 1 }, []).problem).toMatch(/object/);
  const messages = [{ id: '1' }, { id: '2' }];
  expect(editOf({ messages }, { messages: messages.toReversed() }).problem).toMatch(/order/);
});
