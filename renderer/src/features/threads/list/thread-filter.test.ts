import { expect, test } from 'vitest';
import {
  filterFrom,
  noFilter,
  queryOf,
  searchBody,
  type ThreadFilter,
  withTyped,
} from './thread-filter.ts';

const everything: ThreadFilter = {
  status: 'idle',
  runStatus: 'cancelled',
  agent: 'triage',
  ids: ['one', 'two'],
  metadata: [
    ['team', 'a'],
    ['city', 'a=b'],
  ],
};

test('every part of a filter is in the request, and nothing that is not set', () => {
  expect(searchBody(everything)).toEqual({
    status: 'idle',
    run_status: 'cancelled',
    agent_id: 'triage',
    ids: ['one', 'two'],
    metadata: { team: 'a', city: 'a=b' },
  });
  expect(searchBody(noFilter)).toEqual({});
});

test('a filter survives the URL', () => {
  expect(filterFrom(new URLSearchParams(queryOf(everything)))).toEqual(everything);
  expect(filterFrom(new URLSearchParams(''))).toEqual(noFilter);
});

test('several pairs are several filters, and a value may have spaces', () => {
  expect(withTyped(noFilter, ' team=billing n=13 ')?.metadata).toEqual([
    ['team', 'billing'],
    ['n', '13'],
  ]);
  expect(withTyped(noFilter, 'city=New York n=13')?.metadata).toEqual([
    ['city', 'New York'],
    ['n', '13'],
  ]);
  expect(withTyped(noFilter, 'busy team=a')).toEqual({
    ...noFilter,
    status: 'busy',
    metadata: [['team', 'a']],
  });
  expect(withTyped(noFilter, 'no id team=a')).toBeUndefined();
});
