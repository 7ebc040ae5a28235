import { locks } from 'node:worker_threads';
import { afterEach, expect, test, vi } from 'vitest';
import { createStreamSlots, MAX_STREAMS } from './stream-slots.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A window of the browser whose locks and channel are those of this process. */
function openWindow(isSeen: boolean) {
  const channel = new BroadcastChannel('stream-slots-test');
  const gone = new AbortController();
  closing.push(() => gone.abort());
  closing.push(() => channel.close());
  const view = { hidden: !isSeen };
  const slots = createStreamSlots({ locks, channel, view });
  const giveBack = vi.fn();
  return {
    view,
    giveBack,
    take: async (signal = gone.signal) => {
      const release = await slots.take(signal, giveBack);
      closing.push(release);
      return release;
    },
  };
}

test('so many streams are open at once, and the next one begins when one of them ends', async () => {
  const first = openWindow(true);
  const releases = await Promise.all(Array.from({ length: MAX_STREAMS }, () => first.take()));
  const other = openWindow(true);
  const taken = vi.fn();
  const next = other.take().then(taken);
  await new Promise((resolve) => setImmediate(resolve));
  expect(taken).not.toHaveBeenCalled();
  releases[2]?.();
  await next;
  // It keeps one of them, not each that becomes free.
  releases[0]?.();
  await openWindow(true).take();
});

test('a window that is seen and waits gets the stream of one that is not', async () => {
  const [hidden, seen, waiting] = [openWindow(false), openWindow(true), openWindow(true)];
  const given = await hidden.take();
  hidden.giveBack.mockImplementation(given);
  for (let count = 1; count < MAX_STREAMS; count += 1) await seen.take();
  await waiting.take();
  expect(hidden.giveBack).toHaveBeenCalledTimes(1);
  expect(seen.giveBack).not.toHaveBeenCalled();
});

test('who waits for a stream can give up', async () => {
  const window = openWindow(true);
  for (let count = 0; count < MAX_STREAMS; count += 1) await window.take();
  const leaving = new AbortController();
  const late = window.take(leaving.signal);
  leaving.abort();
  await expect(late).rejects.toMatchObject({ name: 'AbortError' });
});
