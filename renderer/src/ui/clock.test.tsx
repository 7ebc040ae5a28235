import { act, cleanup, render } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { useNow } from './clock.ts';

test('what shows the time is rendered once a second, and not again right after it was mounted', async () => {
  vi.useFakeTimers();
  try {
    const shown: number[] = [];
    const Reader = () => {
      shown.push(useNow());
      return null;
    };
    vi.advanceTimersByTime(60_000);
    const mounted = Date.now();
    const { unmount } = render(<Reader />);
    expect(shown).toEqual([mounted]);
    vi.advanceTimersByTime(400);
    render(<Reader />);
    expect(shown).toEqual([mounted, mounted]);
    await act(() => vi.advanceTimersByTimeAsync(600));
    expect(shown.slice(2)).toEqual([mounted + 1_000, mounted + 1_000]);
    unmount();
    vi.setSystemTime(mounted - 60_000);
    cleanup();
    render(<Reader />);
    expect(shown.at(-1)).toBe(mounted - 60_000);
  } finally {
    vi.useRealTimers();
  }
});
