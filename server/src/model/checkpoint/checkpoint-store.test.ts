import { expect, it } from 'vitest';
import { save, write } from '../../../test/fixtures/thread-builder.ts';
import { fromBytes } from '../frame.ts';
import { restoreStore, snapshotStore } from './store-snapshot.ts';
import {
  applyOp,
  createStore,
  dropPendingWrites,
  dropRun,
  findBlob,
  findCheckpoint,
  listCheckpoints,
} from './checkpoint-store.ts';

it('keeps the newest checkpoints of a run in each namespace', () => {
  const store = createStore();
  for (const id of ['1', '2', '3']) applyOp(store, save(id, { a: id }), 'run', 2);
  applyOp(store, save('1', { a: '1' }, { ns: 'child' }), 'run', 2);
  expect([...listCheckpoints(store)].map(({ ns, id }) => [ns, id])).toEqual([
    ['', '3'],
    ['', '2'],
    ['child', '1'],
  ]);
});

it("keeps another run's checkpoints", () => {
  const store = createStore();
  applyOp(store, save('1', { a: '1' }), 'first', 1);
  applyOp(store, save('2', { a: '2' }), 'second', 1);
  expect([...listCheckpoints(store, '')].map(({ id }) => id)).toEqual(['2', '1']);
});

it('keeps a blob as long as a retained checkpoint names it', () => {
  const store = createStore();
  applyOp(store, save('1', { a: '1', b: '1' }), 'run', 1);
  applyOp(store, save('2', { a: '1', b: '2' }, { blobs: ['b'] }), 'run', 1);
  expect(findBlob(store, '', 'a', '1')).toBeDefined();
  expect(findBlob(store, '', 'b', '1')).toBeUndefined();
  applyOp(store, save('3', { b: '2' }, { blobs: [] }), 'run', 1);
  expect(findBlob(store, '', 'a', '1')).toBeUndefined();
});

it('finds a checkpoint that arrives out of order behind a newer one', () => {
  const store = createStore();
  applyOp(store, save('2', {}), 'run', 9);
  applyOp(store, save('1', {}), 'run', 9);
  expect(findCheckpoint(store, '')?.id).toBe('2');
});

it('keeps the first ordinary write of a task and the last one of a special channel', () => {
  const store = createStore();
  applyOp(store, save('1', {}), 'run', 1);
  for (const text of ['first', 'second']) {
    applyOp(store, write('1', 0, text), 'run', 1);
    applyOp(store, write('1', -1, text), 'run', 1);
  }
  const writes = findCheckpoint(store, '')?.writes ?? [];
  // The builder's payloads are all at hand.
  expect(writes.map(({ index, value }) => [index, fromBytes(value.bytes as Uint8Array)])).toEqual([
    [0, 'first'],
    [-1, 'second'],
  ]);
});

it('attaches writes that came before their checkpoint', () => {
  const store = createStore();
  applyOp(store, write('1'), 'run', 1);
  expect([...listCheckpoints(store)]).toEqual([]);
  applyOp(store, save('1', {}), 'run', 1);
  expect(findCheckpoint(store, '')?.writes).toHaveLength(1);
});

it('keeps nothing of writes that come after their checkpoint has gone', () => {
  const [store, without] = [createStore(), createStore()];
  for (const one of [store, without]) {
    for (const id of ['1', '2']) applyOp(one, save(id, {}), 'run', 1);
  }
  applyOp(store, write('1'), 'run', 1);
  expect(store).toEqual(without);
});

it('drops the writes that a host had to shed, but never those of a head', () => {
  const store = createStore();
  for (const id of ['1', '2']) {
    applyOp(store, save(id, {}), 'run', 9);
    applyOp(store, write(id), 'run', 9);
  }
  const shed = ['1', '2', 'unknown'].map((checkpointId) => ({ ns: '', checkpointId }));
  applyOp(store, { kind: 'writes', ns: '', checkpointId: '2', writes: [], shed }, 'run', 9);
  expect([...listCheckpoints(store)].map(({ id, writes }) => [id, writes.length])).toEqual([
    ['2', 1],
    ['1', 0],
  ]);
});

it('keeps pending writes when the same checkpoint is put again', () => {
  const store = createStore();
  applyOp(store, save('1', { a: '1' }), 'run', 1);
  applyOp(store, write('1'), 'run', 1);
  applyOp(store, save('1', { a: '1' }), 'run', 1);
  expect(findCheckpoint(store, '')?.writes).toHaveLength(1);
  expect(findBlob(store, '', 'a', '1')).toBeDefined();
});

it('counts its bytes down to nothing', () => {
  const store = createStore();
  applyOp(store, save('1', { a: '1' }, { size: 1_000 }), 'run', 1);
  applyOp(store, write('1'), 'run', 1);
  expect(store.bytes).toBeGreaterThan(1_000);
  applyOp(store, save('2', {}), 'run', 1);
  const empty = createStore();
  applyOp(empty, save('2', {}), 'run', 1);
  expect(store.bytes).toBe(empty.bytes);
});

it('is the same store after it was taken apart and put together', () => {
  const store = createStore();
  applyOp(store, save('1', { a: '1' }), 'first', 1);
  applyOp(store, save('2', { a: '1', b: '2' }, { blobs: ['b'], parentId: '1' }), 'second', 1);
  applyOp(store, write('2'), 'second', 1);
  const restored = restoreStore(snapshotStore(store));
  expect(restored).toEqual(store);
  applyOp(restored, save('3', { b: '2' }, { blobs: [] }), 'second', 1);
  expect(findBlob(restored, '', 'a', '1')).toBeDefined();
});

it('drops pending writes when asked', () => {
  const store = createStore();
  applyOp(store, save('1', {}), 'run', 1);
  const bytes = store.bytes;
  applyOp(store, write('1'), 'run', 1);
  dropPendingWrites(store, { ofHeads: true });
  expect([findCheckpoint(store, '')?.writes, store.bytes]).toEqual([[], bytes]);
});

it('counts and keeps writes that wait for their checkpoint', () => {
  const store = createStore();
  applyOp(store, write('1', 0, 'first'), 'run', 1);
  applyOp(store, write('1', 0, 'again'), 'run', 1);
  expect(store.bytes).toBeGreaterThan(0);
  const restored = restoreStore(snapshotStore(store));
  expect(restored).toEqual(store);
  applyOp(restored, save('1', {}), 'run', 1);
  applyOp(store, save('1', {}), 'run', 1);
  expect([restored.bytes, findCheckpoint(restored, '')?.writes.length]).toEqual([store.bytes, 1]);
});

it('keeps the rules of writes also where there are many', () => {
  const store = createStore();
  applyOp(store, save('1', {}), 'run', 1);
  for (const text of ['first', 'second']) {
    for (let index = -2; index < 100; index += 1) applyOp(store, write('1', index, text), 'run', 1);
  }
  const writes = findCheckpoint(store, '')?.writes ?? [];
  // The builder's payloads are all at hand.
  const texts = writes.map(({ value }) => fromBytes(value.bytes as Uint8Array));
  expect([writes.length, new Set(texts.slice(2))]).toEqual([102, new Set(['first'])]);
  expect(texts.slice(0, 2)).toEqual(['second', 'second']);
});

it('drops the oldest checkpoints of a run until it is enough, and no head', () => {
  const store = createStore();
  for (const id of ['1', '2', '3', '4']) applyOp(store, save(id, {}), 'run', 9);
  let left = 2;
  dropRun(store, 'run', { isHeadDropped: () => false, isEnough: () => (left -= 1) <= 0 });
  expect([...listCheckpoints(store)].map(({ id }) => id)).toEqual(['4', '3']);
  dropRun(store, 'run', { isHeadDropped: () => false, isEnough: () => false });
  expect([...listCheckpoints(store)].map(({ id }) => id)).toEqual(['4']);
  expect(restoreStore(snapshotStore(store))).toEqual(store);
});

it('keeps the values of a channel whose name has several lines', () => {
  const store = createStore();
  applyOp(store, save('1', { 'two\nlines': '1' }), 'run', 1);
  const restored = restoreStore(snapshotStore(store));
  expect(restored).toEqual(store);
  expect(findBlob(restored, '', 'two\nlines', '1')).toBeDefined();
});
