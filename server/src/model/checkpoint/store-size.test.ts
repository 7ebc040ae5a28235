import { expect, it } from 'vitest';
import { save, write } from '../../../test/fixtures/thread-builder.ts';
import { applyOp, createStore } from './checkpoint-store.ts';
import { storeSize } from './store-size.ts';
import type { StoredOp } from './stored.ts';

const none = { count: 0, bytes: 0 };

it('is nothing for a thread without checkpoints', () => {
  const channelValues = { ...none, byChannel: {} };
  expect(storeSize(createStore())).toEqual({
    checkpoints: none,
    channelValues,
    pendingWrites: none,
  });
});

it('counts the retained checkpoints, each version of a channel once, and the pending writes', () => {
  const store = createStore();
  applyOp(store, save('1', { a: '1', b: '1' }), 'run', 1); // is not retained, and with it one version of b
  applyOp(store, save('2', { a: '1', b: '2' }, { blobs: ['b'] }), 'run', 1);
  applyOp(store, save('1', { a: '1' }, { ns: 'child' }), 'run', 1);
  applyOp(store, write('2', 0, 'text'), 'run', 1);
  applyOp(store, write('later', 0, 'text'), 'run', 1);
  const { checkpoints, channelValues, pendingWrites } = storeSize(store);
  const { byChannel } = channelValues;
  expect([checkpoints.count, channelValues.count, pendingWrites.count]).toEqual([2, 3, 2]);
  expect([byChannel['a']?.count, byChannel['b']?.count]).toEqual([2, 1]);
  const sum = (byChannel['a']?.bytes ?? 0) + (byChannel['b']?.bytes ?? 0);
  expect(channelValues.bytes).toBe(sum);
});

it('counts bytes as they are stored: deflated in the engine, whole outside of it', () => {
  const saved = save('1', { a: '1' }) as Extract<StoredOp, { kind: 'save' }>;
  const [blob] = saved.blobs;
  if (!blob) throw new Error('There is no value.');
  const sizeWith = (bytes: typeof blob.value.bytes): number => {
    const store = createStore();
    const { channel, version } = blob;
    const value = { ...blob.value, bytes };
    applyOp(store, { ...saved, blobs: [{ channel, version, value }] }, 'run', 1);
    return storeSize(store).channelValues.bytes;
  };
  expect(sizeWith(new Uint8Array(7))).toBe(7);
  expect(sizeWith({ deflated: new Uint8Array(5), size: 500 })).toBe(5);
  expect(sizeWith({ hash: 'a'.repeat(64), size: 9_000 })).toBe(9_000);
});
