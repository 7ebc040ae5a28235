import { expect, test } from 'vitest';
import { filterFrom, noFilter, queryOf, searchBody, type ThreadFilter } from './thread-filter.ts';

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
