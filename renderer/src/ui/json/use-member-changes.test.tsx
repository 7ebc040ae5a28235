import { act, renderHook } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { useMemberChanges } from './use-member-changes.ts';

test('a large text is compared once typing pauses, not with every key', async () => {
  vi.useFakeTimers();
  const before = { filler: 'x'.repeat(300 * 1024), note: '' };
  const original = JSON.stringify(before);
  const parse = vi.spyOn(JSON, 'parse');
  const { result, rerender } = renderHook(({ text }) => useMemberChanges(original, before, text), {
    initialProps: { text: original },
  });
  await act(() => vi.advanceTimersByTimeAsync(300));
  expect(result.current).toEqual({ changes: { changed: {}, removed: [] }, isPending: false });
  parse.mockClear();
  for (const note of ['a', 'ab', 'abc', 'abcd']) {
    rerender({ text: JSON.stringify({ ...before, note }) });
    await act(() => vi.advanceTimersByTimeAsync(50));
  }
  expect(result.current).toEqual({ changes: undefined, isPending: true });
  expect(parse).not.toHaveBeenCalled();
  await act(() => vi.advanceTimersByTimeAsync(300));
  expect(result.current.changes).toEqual({ changed: { note: 'abcd' }, removed: [] });
  // Of both texts: without workers the page does their work.
  expect(parse).toHaveBeenCalledTimes(2);
});
