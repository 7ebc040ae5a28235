import { expect, test } from 'vitest';
import { filterFrom, queryOf, type RunsFilter, searchBody, statsFilter } from './runs-filter.ts';

const everything: RunsFilter = {
  statuses: ['running', 'error'],
  agents: ['desk', 'triage'],
  error: 'timeout',
  thread: 't-1',
  tookMs: 5_000,
  text: 'invoice 2041',
  window: { from: '2026-11-26T08:00:00.000Z', to: '2026-11-26T12:00:00.000Z' },
};
const readBack = (query: string): RunsFilter => filterFrom(new URLSearchParams(query));

test('a filter survives the URL', () => {
  expect(readBack(queryOf(everything))).toEqual(everything);
  expect(queryOf(readBack(''))).toBe('');
  expect(readBack('since=24h').window).toEqual({ since: '24h' });
});

test('what a URL has that no filter is, is left out', () => {
  expect(queryOf(readBack('status=lost&took=7&since=3y&from=soon&to=later&compose=1'))).toBe('');
  expect(readBack('from=2026-11-26T12:00:00Z&to=2026-11-26T08:00:00Z').window).toBeUndefined();
});

test('every part of a filter is in the search, and nothing that is not set', () => {
  expect(searchBody(everything)).toEqual({
    status: ['running', 'error'],
    agent_id: ['desk', 'triage'],
    error_code: 'timeout',
    thread_id: 't-1',
    min_duration_ms: 5_000,
    text: 'invoice 2041',
    created_after: '2026-11-26T08:00:00.000Z',
    created_before: '2026-11-26T12:00:00.000Z',
  });
  expect(searchBody(readBack(''))).toEqual({});
});

test('figures are narrowed by one status and one agent', () => {
  expect(statsFilter(everything)).toEqual({ min_duration_ms: 5_000, text: 'invoice 2041' });
  expect(statsFilter({ ...everything, statuses: ['error'], agents: ['desk'] })).toEqual({
    status: 'error',
    agent_id: 'desk',
    min_duration_ms: 5_000,
    text: 'invoice 2041',
  });
});
