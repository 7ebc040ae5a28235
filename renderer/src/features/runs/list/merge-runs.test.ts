import { expect, test } from 'vitest';
import type { RecordedRun } from '../../../api/generated/types.gen.ts';
import type { RunPage } from '../../../api/queries/run-search.ts';
import { mergeHead } from './merge-runs.ts';

/** `a9` is the run a, last active at 9. */
function runs(names: string, status: RecordedRun['status'] = 'completed'): RecordedRun[] {
  return names.split(' ').map((name) => ({
    run_id: name.charAt(0),
    thread_id: 't',
    agent_id: 'desk',
    status,
    created_at: '2026-11-26T12:00:00Z',
    last_activity_at: `2026-11-26T12:00:0${name.charAt(1)}Z`,
    attempts: 1,
    tokens: { input: 0, output: 0, total: 0 },
    metadata: {},
    is_incomplete: false,
  }));
}
const idsOf = (pages: readonly RunPage[] | undefined): string | undefined =>
  pages?.map((page) => page.runs.map(({ run_id }) => run_id).join('')).join('|');

const pages: readonly RunPage[] = [
  { runs: runs('a6 b5 c4'), cursor: '4' },
  { runs: runs('d3 e2'), cursor: '2' },
];

test('new runs are added above, and pages that were read stay', () => {
  expect(idsOf(mergeHead(pages, { runs: runs('x8 a6 b5'), cursor: '5' }))).toBe('xabc|de');
});

test('a run that changes moves up', () => {
  expect(idsOf(mergeHead(pages, { runs: runs('e9 a6 b5'), cursor: '5' }))).toBe('eabc|d');
});

test('a run that is no longer found is dropped', () => {
  expect(idsOf(mergeHead(pages, { runs: runs('a6 c4 d3'), cursor: '3' }))).toBe('acd|e');
});

test('a whole answer replaces everything', () => {
  expect(idsOf(mergeHead(pages, { runs: runs('a6 b5') }))).toBe('ab');
});

test('more new runs than fit in an answer start the list anew', () => {
  expect(mergeHead(pages, { runs: runs('x9 y8 z7'), cursor: '7' })).toBeUndefined();
});

test('nothing new keeps the identical pages, so that nothing is rendered again', () => {
  expect(mergeHead(pages, { runs: runs('a6 b5 c4'), cursor: '4' })).toBe(pages);
});
