import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ServiceError } from '../../errors/service-error.ts';
import type { ImageOptions, ImageSandbox, SandboxImage } from '../../guest/sandbox/port.ts';
import { pullInTime } from './pull-in-time.ts';

const image: SandboxImage = { name: 'guest:1', id: '1', platform: 'linux/amd64', environment: {} };
const limits = { responseMs: 20_000, wholeMs: 600_000 };

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** A pull under way, from a sandbox that does what the test sets. */
function pulling(imageOf: ImageSandbox['image'], stop = new AbortController()) {
  const lines: string[] = [];
  const run = { signal: stop.signal, onProgress: (line: string) => void lines.push(line) };
  return { lines, stop, pulled: pullInTime({ image: imageOf }, 'guest:1', run, limits) };
}

/** Never ends by itself, as a daemon may that is asked to stop. */
const endless = new Promise<SandboxImage>(() => undefined);

it('has an image that exists or is pulled, and passes on the progress of the pull', async () => {
  const { lines, pulled } = pulling((_, { onProgress }) => {
    onProgress('pulling the image guest:1');
    return Promise.resolve(image);
  });
  expect(await pulled).toBe(true);
  expect(lines).toEqual(['pulling the image guest:1']);
});

it('reports why an image cannot be pulled, without advice when it was configured', async () => {
  const cause = Object.assign(new Error('(HTTP code 404)'), { json: { message: 'not found' } });
  const refused = new ServiceError('guest_unavailable', 'It is not there; name another.', {
    cause,
  });
  const { lines, pulled } = pulling(() => Promise.reject(refused));
  expect(await pulled).toBe(false);
  expect(lines).toEqual(['the image guest:1 cannot be pulled: the registry has no such image']);
});

it('gives up a registry that does not respond', async () => {
  const { lines, pulled } = pulling((_, { onProgress }) => {
    onProgress('pulling the image guest:1');
    return endless;
  });
  await vi.advanceTimersByTimeAsync(limits.responseMs);
  expect(await pulled).toBe(false);
  expect(lines.at(-1)).toBe('the image guest:1 cannot be pulled: no registry sent it in time');
});

it('waits longer for one that has responded, and not without end', async () => {
  let options: ImageOptions | undefined;
  const { pulled } = pulling((_, given) => {
    options = given;
    given.onProgress('pulling the image guest:1');
    given.onProgress('1: Pulling from library/guest');
    return endless;
  });
  await vi.advanceTimersByTimeAsync(limits.wholeMs - 1);
  expect(options?.signal.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(await pulled).toBe(false);
  expect(options?.signal.aborted).toBe(true);
});

it('ends with the reason of who stops it', async () => {
  const { pulled, stop } = pulling(() => endless);
  await setImmediate();
  stop.abort(new Error('Stopped.'));
  await expect(pulled).rejects.toThrow('Stopped.');
});

it('hides no internal error', async () => {
  const { pulled } = pulling(() => Promise.reject(new TypeError('x is not a function')));
  await expect(pulled).rejects.toThrow(TypeError);
});
