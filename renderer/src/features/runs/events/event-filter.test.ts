import { expect, test } from 'vitest';
import { eventOf } from './event-fixture.ts';
import { createFilteredEvents, isRestart } from './event-filter.ts';

test('a filter hides types, finds text in any case, and keeps marks and errors', () => {
  const filtered = createFilteredEvents({
    hiddenTypes: new Set(['values']),
    text: 'PAPER.',
    range: undefined,
  });
  const events = [
    eventOf({ seq: 0, type: 'values', payload: { a: 'paper.' } }),
    eventOf({ seq: 1, type: 'updates', payload: { a: 'Paper.' } }),
    eventOf({ seq: 2, type: 'updates', payload: { a: 'paperx' } }),
    eventOf({ seq: 3, type: 'reconnected' }),
    eventOf({ seq: 4, type: 'error', payload: { error: 'boom' } }),
    eventOf({ seq: 5, type: 'lifecycle', payload: { attempt: 2, last_failure: 'CRASH' } }),
  ];
  for (const event of events) filtered.take(event);
  expect(filtered.rows).toEqual([1, 3, 4, 5]);
  expect(Object.fromEntries(filtered.counts)).toEqual({
    values: 1,
    updates: 2,
    error: 1,
    lifecycle: 1,
  });
});

test('a range of time leaves only what happened in it', () => {
  const filtered = createFilteredEvents({
    hiddenTypes: new Set(),
    text: '',
    range: { from: 10, to: 20 },
  });
  for (const [seq, at] of [5, 10, 20, 25, undefined].entries()) filtered.take(eventOf({ seq, at }));
  expect(filtered.rows).toEqual([1, 2]);
});

test('only later attempts are restarts', () => {
  expect(isRestart(eventOf({ type: 'lifecycle', payload: { attempt: 1 } }))).toBe(false);
  expect(isRestart(eventOf({ type: 'lifecycle', payload: { attempt: 12 } }))).toBe(true);
});
