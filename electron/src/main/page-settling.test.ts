import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createPageSettling } from './page-settling.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function open({ isReady = true } = {}) {
  const asked: number[] = [];
  const settling = createPageSettling({
    isReady: () => isReady,
    ask: (request) => void asked.push(request),
  });
  return { asked, settling };
}

/** Whether it has resolved by now. */
async function isDone(promise: Promise<void>): Promise<boolean> {
  return Promise.race([promise.then(() => true), Promise.resolve().then(() => false)]);
}

it('waits until the page has done what it had delayed', async () => {
  const { asked, settling } = open();
  const first = settling.settle();
  const second = settling.settle();
  expect(asked).toEqual([1, 2]);
  settling.settled(2);
  await second;
  expect(await isDone(first)).toBe(false);
  settling.settled(1);
  await first;
});

it('waits three seconds for a page that does not respond, and not for one that is not there', async () => {
  const { settling } = open();
  const settled = settling.settle();
  await vi.advanceTimersByTimeAsync(2_900);
  expect(await isDone(settled)).toBe(false);
  await vi.advanceTimersByTimeAsync(200);
  await settled;
  const closed = open({ isReady: false });
  await closed.settling.settle();
  expect(closed.asked).toEqual([]);
});
