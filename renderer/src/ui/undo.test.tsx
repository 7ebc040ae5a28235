import { act, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { renderPart } from '../test/render-page.tsx';
import { commitPending, offerUndo } from './undo.tsx';

// The clock advances only on a test's request.
beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  void commitPending();
  vi.useRealTimers();
});

function offer() {
  const commit = vi.fn<() => Promise<void>>().mockResolvedValue();
  const undo = vi.fn<() => void>();
  renderPart(null);
  act(() =>
    offerUndo({ label: 'Thread conv-1 deleted', failed: 'It was not deleted', commit, undo }),
  );
  return { commit, undo };
}

test('commits once the ten seconds are over', async () => {
  const { commit, undo } = offer();
  expect(screen.getByText('Thread conv-1 deleted')).toBeVisible();
  await act(() => vi.advanceTimersByTimeAsync(9_900));
  expect(commit).not.toHaveBeenCalled();
  await act(() => vi.advanceTimersByTimeAsync(200));
  expect(commit).toHaveBeenCalledOnce();
  expect(undo).not.toHaveBeenCalled();
});

test('an undone action is never committed', async () => {
  const { commit, undo } = offer();
  act(() => screen.getByRole('button', { name: 'Undo' }).click());
  expect(undo).toHaveBeenCalledOnce();
  await act(() => vi.advanceTimersByTimeAsync(20_000));
  expect(commit).not.toHaveBeenCalled();
});

test('a page that is closed commits at once', () => {
  const { commit } = offer();
  act(() => void window.dispatchEvent(new Event('pagehide')));
  expect(commit).toHaveBeenCalledOnce();
});

test('a failed commit restores the item and shows why', async () => {
  const { commit, undo } = offer();
  commit.mockRejectedValue(new Error('The disk is full.'));
  await act(() => vi.advanceTimersByTimeAsync(10_100));
  expect(undo).toHaveBeenCalledOnce();
  expect(screen.getByText('It was not deleted')).toBeVisible();
  expect(screen.getByText('The disk is full.')).toBeVisible();
});
