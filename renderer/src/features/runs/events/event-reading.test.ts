import { expect, test } from 'vitest';
import { eventOf } from './event-fixture.ts';
import { readEvent } from './event-reading.ts';

test('an update shows its node and what it wrote', () => {
  expect(readEvent(eventOf({ type: 'updates', payload: { search: { docs: [1] } } }))).toEqual({
    node: 'search',
    preview: '{"docs":[1]}',
  });
});

test('a message shows its text and its node', () => {
  const payload = {
    message: { content: [{ text: 'The' }] },
    metadata: { langgraph_node: 'answer' },
  };
  expect(readEvent(eventOf({ type: 'messages', payload }))).toEqual({
    node: 'answer',
    preview: '"The"',
  });
});

test('tasks and calls read as sentences', () => {
  const fails = { event: 'end', name: 'fall', error: 'KeyError: x' };
  expect(readEvent(eventOf({ type: 'tasks', payload: fails }))).toEqual({
    node: 'fall',
    preview: 'fails KeyError: x',
    isFailure: true,
  });
  const end = {
    kind: 'tool',
    event: 'end',
    node: 'search',
    name: 'look_up',
    latency_ms: 12.4,
    output: 'x',
  };
  expect(readEvent(eventOf({ type: 'calls', payload: end })).preview).toBe(
    'tool look_up returns after 12 ms "x"',
  );
  const delta = { ...end, event: 'delta', delta: { row: 1 } };
  expect(readEvent(eventOf({ type: 'calls', payload: delta })).preview).toBe(
    'tool look_up streams {"row":1}',
  );
});

test('a dropped payload is reported', () => {
  expect(readEvent(eventOf({ data: '', isDropped: true })).preview).toContain('dropped');
});
