import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { describeBlobBackend } from '../../test/conformance/blob-backend.ts';
import { createMemoryBackend } from '../../test/fixtures/memory-backend.ts';
import { ServiceError } from '../errors/service-error.ts';
import { PayloadStorage } from './payload-storage.ts';

const MINUTE_MS = 60_000;
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const patience = { patienceMs: 0 };
const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((digit) => digit.repeat(64)) as [
  string,
  string,
  string,
  string,
]; // hashes

const inMemory = createMemoryBackend();
describeBlobBackend('memory, as the tests below have it', () => inMemory);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A storage in memory, and threads that reference what a test sets; a thread that is not named does not exist. */
function openStorage(options: { isShared?: boolean } = {}) {
  const backend = createMemoryBackend();
  const referenced = new Map<string, Set<string>>();
  const ask = vi.fn(async (threadId: string) => referenced.get(threadId) ?? ('gone' as const));
  const logger = { warn: vi.fn(), debug: vi.fn() };
  const payloadBytes = { observe: vi.fn() };
  const storage = new PayloadStorage({ backend, thresholdBytes: 1, logger, payloadBytes });
  const collect = (): void =>
    storage.collect({ references: ask }, { isShared: options.isShared ?? false });
  const hashes = (threadId: string): string[] => [...(backend.threads.get(threadId)?.keys() ?? [])];
  return { backend, storage, referenced, ask, collect, hashes };
}

it('removes what its thread has dropped, after a while, and keeps what it references', async () => {
  const { storage, referenced, collect, hashes } = openStorage();
  collect();
  const old = await storage.put('thread', bytesOf('old'), patience);
  const current = await storage.put('thread', bytesOf('current'), patience);
  referenced.set('thread', new Set([current.kept.hash]));
  for (const held of [old, current]) held.release({ isCertain: true });
  // A read that began before may still want it.
  await vi.advanceTimersByTimeAsync(5_000);
  expect(hashes('thread')).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  expect(hashes('thread')).toEqual([current.kept.hash]);
});

it('keeps what is on its way to its reference, however long that takes', async () => {
  const { storage, referenced, collect, hashes } = openStorage();
  collect();
  referenced.set('thread', new Set());
  const { kept, release } = await storage.put('thread', bytesOf('held'), patience);
  storage.changed('thread');
  await vi.advanceTimersByTimeAsync(60 * MINUTE_MS);
  expect(hashes('thread')).toEqual([kept.hash]);
  release({ isCertain: true });
  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  expect(hashes('thread')).toEqual([]);
});

it('keeps what may yet be referenced for two minutes', async () => {
  const { storage, referenced, collect, hashes } = openStorage();
  collect();
  referenced.set('thread', new Set());
  const { release } = await storage.put('thread', bytesOf('unsure'), patience);
  release({ isCertain: false });
  await vi.advanceTimersByTimeAsync(1.9 * MINUTE_MS);
  expect(hashes('thread')).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  expect(hashes('thread')).toEqual([]);
});

it('keeps what was put again, and referenced, while the collector looked', async () => {
  const { storage, referenced, ask, collect, hashes } = openStorage();
  collect();
  referenced.set('thread', new Set());
  const first = await storage.put('thread', bytesOf('again'), patience);
  first.release({ isCertain: true });
  // Every look from the first removal on: the result is as old as the request.
  ask.mockImplementation(async (threadId) => {
    const found = new Set(referenced.get(threadId));
    const second = await storage.put(threadId, bytesOf('again'), patience);
    referenced.set(threadId, new Set([second.kept.hash]));
    second.release({ isCertain: true });
    return found;
  });
  await vi.advanceTimersByTimeAsync(5 * MINUTE_MS);
  expect(hashes('thread')).toEqual([first.kept.hash]);
});

it('removes all of a deleted thread at once, unless the engine does not respond', async () => {
  const { storage, backend, ask, collect, hashes } = openStorage();
  collect();
  const { release } = await storage.put('thread', bytesOf('one'), patience);
  release({ isCertain: true });
  ask.mockRejectedValueOnce(new ServiceError('engine_unavailable', 'The engine is away.'));
  await storage.removed('thread');
  expect(hashes('thread')).toHaveLength(1);
  await storage.removed('thread');
  expect([...backend.threads.keys()]).toEqual([]);
});

it('removes all of a deleted thread at once, also where the clock of the storage is ahead', async () => {
  const { storage, backend, collect } = openStorage();
  collect();
  const { release } = await storage.put('thread', bytesOf('one'), patience);
  release({ isCertain: true });
  vi.setSystemTime(Date.now() - MINUTE_MS);
  await storage.removed('thread');
  expect([...backend.threads.keys()]).toEqual([]);
});

it('looks again soon when the engine or the storage was unavailable', async () => {
  const { storage, backend, referenced, ask, collect, hashes } = openStorage();
  await backend.put('left', a, bytesOf('a'));
  referenced.set('left', new Set());
  const list = vi.spyOn(backend, 'listThreads').mockImplementationOnce(() => {
    throw new ServiceError('storage_unavailable', 'The storage is away.');
  });
  ask.mockRejectedValueOnce(new ServiceError('engine_unavailable', 'The engine is away.'));
  collect();
  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  expect([list.mock.calls.length, hashes('left')]).toEqual([2, []]);
  await storage.close();
});

it('sweeps at the start and every hour what was left by a process that was killed', async () => {
  const { backend, referenced, collect, hashes } = openStorage();
  for (const [thread, hash] of [
    ['gone', a],
    ['alive', b],
    ['alive', c],
  ] as const) {
    await backend.put(thread, hash, bytesOf(hash));
  }
  referenced.set('alive', new Set([b]));
  collect();
  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  expect([...backend.threads.keys()]).toEqual(['alive']);
  expect(hashes('alive')).toEqual([b]);
  await backend.put('gone', d, bytesOf('d'));
  await vi.advanceTimersByTimeAsync(61 * MINUTE_MS);
  expect([...backend.threads.keys()]).toEqual(['alive']);
});

it('leaves alone what is young where other services write as well', async () => {
  const { backend, storage, collect, hashes } = openStorage({ isShared: true });
  await backend.put('thread', a, bytesOf('of another service'));
  collect();
  await vi.advanceTimersByTimeAsync(30 * MINUTE_MS);
  storage.changed('thread');
  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  expect(hashes('thread')).toEqual([a]);
  await vi.advanceTimersByTimeAsync(61 * MINUTE_MS);
  expect(hashes('thread')).toEqual([]);
});

it('distinguishes a payload that is damaged or missing from one that was dropped', async () => {
  const { backend, storage, referenced, collect } = openStorage();
  collect();
  const { kept } = await storage.put('thread', bytesOf('content'), patience);
  const damage = {
    code: 'checkpoint_damaged',
    message: expect.stringContaining(kept.hash) as string,
  };
  referenced.set('thread', new Set([kept.hash]));
  await backend.put('thread', kept.hash, bytesOf('CONTENT'));
  await expect(storage.get('thread', kept)).rejects.toMatchObject(damage);
  await backend.remove('thread', kept.hash);
  await expect(storage.get('thread', kept)).rejects.toMatchObject(damage);
  referenced.set('thread', new Set());
  await expect(storage.get('thread', kept)).rejects.toMatchObject({ code: 'checkpoint_not_found' });
  referenced.delete('thread');
  await expect(storage.get('thread', kept)).rejects.toMatchObject({ code: 'thread_not_found' });
});

it('reads once what it may need again soon, and every time what is larger than 8 MiB', async () => {
  const { backend, storage } = openStorage();
  const get = vi.spyOn(backend, 'get');
  const limit = 8 * 1_024 * 1_024;
  for (const [size, reads] of [
    [limit, 1],
    [limit + 1, 2],
  ] as const) {
    const { kept } = await storage.put('thread', new Uint8Array(size), patience);
    get.mockClear();
    for (let time = 1; time <= 2; time += 1) {
      expect(await storage.get('thread', kept)).toHaveLength(size);
    }
    expect([size, get.mock.calls.length]).toEqual([size, reads]);
  }
});

it('tries again while the storage is unavailable, as long as patience allows, and shorter when it is full', async () => {
  const { backend, storage } = openStorage();
  const put = vi.spyOn(backend, 'put');
  const away = new ServiceError('storage_unavailable', 'It is away.');
  put.mockRejectedValueOnce(away).mockRejectedValueOnce(away);
  const saved = storage.put('thread', bytesOf('one'), { patienceMs: 10_000 });
  await vi.advanceTimersByTimeAsync(1_000);
  await expect(saved).resolves.toMatchObject({ kept: { size: 3 } });

  put.mockRejectedValue(new ServiceError('storage_full', 'It is full.'));
  const begin = performance.now();
  const refused = storage
    .put('thread', bytesOf('two'), { patienceMs: 60_000 })
    .catch((error: unknown) => {
      return { error, afterMs: performance.now() - begin };
    });
  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  const { error, afterMs } = (await refused) as { error: unknown; afterMs: number }; // it was refused
  expect(error).toMatchObject({ code: 'storage_full' });
  expect(afterMs).toBeLessThan(5_001);
});

it('asks no thread for what is referenced by no hash', async () => {
  const { backend, storage } = openStorage();
  const get = vi.spyOn(backend, 'get');
  const reading = storage.get('thread', { hash: '../../../dev/zero', size: 1 });
  await expect(reading).rejects.toMatchObject({ code: 'checkpoint_damaged' });
  expect(get).not.toHaveBeenCalled();
});
