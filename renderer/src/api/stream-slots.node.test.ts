import { locks } from 'node:worker_threads';
import { afterEach, expect, test, vi } from 'vitest';
import { createStreamSlots, MAX_STREAMS } from './stream-slots.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A window of the browser whose locks and channel are those of this process. */
function openWindow(isSeen: boolean, hasFocus = false) {
  const channel = new BroadcastChannel('stream-slots-test');
  const gone = new AbortController();
  closing.push(() => gone.abort());
  closing.push(() => channel.close());
  const view = { hidden: !isSeen, hasFocus: () => hasFocus };
  const slots = createStreamSlots({
    locks,
    channel: {
      postMessage: (message) => channel.postMessage(message),
      // Node's types know no event of a channel.
      addEventListener: (_, listener) =>
        channel.addEventListener('message', (event) => listener(event as MessageEvent)),
    },
    view,
  });
  const giveBack = vi.fn();
  return {
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

test('the window that the user is at gets the stream of one that is seen', async () => {
  const [left, here] = [openWindow(true), openWindow(true, true)];
  const given = await left.take();
  left.giveBack.mockImplementation(given);
  for (let count = 1; count < MAX_STREAMS; count += 1) await here.take();
  await here.take();
  expect([left.giveBack.mock.calls.length, here.giveBack.mock.calls.length]).toEqual([1, 0]);
});

test('without locks every stream is opened', async () => {
  const refuse = () => Promise.reject(new DOMException('No data is kept.', 'SecurityError'));
  const channel = { postMessage: () => undefined, addEventListener: () => undefined };
  const view = { hidden: false, hasFocus: () => true };
  const slots = createStreamSlots({ locks: { request: refuse }, channel, view });
  const { signal } = new AbortController();
  for (let count = 0; count <= MAX_STREAMS; count += 1) await slots.take(signal, () => undefined);
  expect(await slots.take(signal, () => undefined)).toBeTypeOf('function');
});

test('who waits for a stream can give up', async () => {
  const window = openWindow(true);
  for (let count = 0; count < MAX_STREAMS; count += 1) await window.take();
  const leaving = new AbortController();
  const late = window.take(leaving.signal);
  leaving.abort();
  await expect(late).rejects.toMatchObject({ name: 'AbortError' });
});
