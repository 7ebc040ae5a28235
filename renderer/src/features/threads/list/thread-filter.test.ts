import { expect, test } from 'vitest';
import {
  filterFrom,
  noFilter,
  queryOf,
  searchBody,
  type ThreadFilter,
  withTyped,
  wordsIn,
} from './thread-filter.ts';

const everything: ThreadFilter = {
  status: 'idle',
  runStatus: 'cancelled',
  agent: 'triage',
  text: 'two words',
  ids: ['one', 'two'],
  metadata: [
    ['team', 'a'],
    ['city', 'a=b'],
  ],
};

test('every part of a filter is in the request, and nothing that is not set', () => {
  expect(searchBody(everything)).toEqual({
    order_by: 'last_activity_at',
    text: 'two words',
    status: 'idle',
    run_status: 'cancelled',
    agent_id: 'triage',
    ids: ['one', 'two'],
    metadata: { team: 'a', city: 'a=b' },
  });
  expect(searchBody(noFilter)).toEqual({ order_by: 'last_activity_at' });
});

test('a filter survives the URL', () => {
  expect(filterFrom(new URLSearchParams(queryOf(everything)))).toEqual(everything);
  expect(filterFrom(new URLSearchParams(''))).toEqual(noFilter);
});

test('several pairs are several filters, and a value may have spaces', () => {
  expect(withTyped(noFilter, ' team=billing n=13 ').metadata).toEqual([
    ['team', 'billing'],
    ['n', '13'],
  ]);
  expect(withTyped(noFilter, 'city=New York n=13').metadata).toEqual([
    ['city', 'New York'],
    ['n', '13'],
  ]);
  expect(withTyped(noFilter, 'busy team=a')).toEqual({
    ...noFilter,
    status: 'busy',
    metadata: [['team', 'a']],
  });
  expect(withTyped(noFilter, 'two words team=a')).toEqual({
    ...noFilter,
    text: 'two words',
    metadata: [['team', 'a']],
  });
});

test('words are searched for while they are typed; ids and pairs are not', () => {
  expect(['whale', ' blue whale '].map(wordsIn)).toEqual(['whale', 'blue whale']);
  expect(['', 'team=a', 'user-42', '01a217d5-7dab-76d3-9180-14523b090693'].map(wordsIn)).toEqual([
    ...[undefined, undefined, undefined, undefined],
  ]);
});
