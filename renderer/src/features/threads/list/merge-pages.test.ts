import { expect, test } from 'vitest';
import type { Thread } from '../../../api/generated/types.gen.ts';
import type { ThreadPage } from '../../../api/queries/thread-search.ts';
import { mergeHead, mergeSeen } from './merge-pages.ts';

function threads(ids: string, status: Thread['status'] = 'idle'): Thread[] {
  return ids.split('').map((id) => ({
    thread_id: id,
    status,
    created_at: '2026-11-21T12:00:00Z',
    updated_at: '2026-11-21T12:00:00Z',
    metadata: {},
  }));
}
const idsOf = (pages: readonly ThreadPage[] | undefined): string | undefined =>
  pages?.map((page) => page.threads.map(({ thread_id }) => thread_id).join('')).join('|');

const pages: readonly ThreadPage[] = [
  { threads: threads('abcd'), cursor: '1' },
  { threads: threads('efgh') },
];

test('new threads are added above, and removed ones disappear', () => {
  expect(idsOf(mergeHead(pages, { threads: threads('xacd') }, 4))).toBe('xacd|efgh');
});

test('a thread that moved up is listed once', () => {
  expect(idsOf(mergeHead(pages, { threads: threads('fabc') }, 4))).toBe('fabcd|egh');
});

test('a complete response replaces all', () => {
  expect(idsOf(mergeHead(pages, { threads: threads('ab') }, 4))).toBe('ab');
});

test('a response that does not reach the known threads requires a new start', () => {
  expect(mergeHead(pages, { threads: threads('wxyz') }, 4)).toBeUndefined();
});

test('nothing new keeps the identical pages, so that nothing is rendered again', () => {
  expect(mergeHead(pages, { threads: threads('abcd') }, 4)).toBe(pages);
  expect(mergeSeen(pages, ['e', 'f'], threads('ef'))).toBe(pages);
});

test('visible rows change in position; those that were not found are removed', () => {
  const merged = mergeSeen(pages, ['e', 'f'], threads('f', 'error'));
  expect(idsOf(merged)).toBe('abcd|fgh');
  expect(merged[1]?.threads[0]?.status).toBe('error');
  expect(merged[0]).toBe(pages[0]);
});
