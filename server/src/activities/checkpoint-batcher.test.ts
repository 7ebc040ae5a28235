import { expect, it, vi } from 'vitest';
import { save, write } from '../../test/fixtures/thread-builder.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { ThreadId } from '../model/ids.ts';
import { deriveLimits, PAYLOAD_CEILING_BYTES } from '../model/limits/limits.ts';
import type { CheckpointBatch } from '../model/thread/thread-wire.ts';
import type { StoredOp } from '../model/checkpoint/stored.ts';
import { createCheckpointCeilings } from './checkpoint-ceilings.ts';
import { CheckpointBatcher } from './checkpoint-batcher.ts';
import type { CheckpointPort } from '../model/checkpoint/checkpoint-port.ts';
import type { OffloadedPayload } from '../model/checkpoint/payload-port.ts';

const fence = { threadId: 'thread' as ThreadId, runUuid: 'run', attempt: 1 }; // a valid id

/** A thread that takes a batch when the test resolves it. */
function openThread(offload: CheckpointPort['offload'] = () => undefined) {
  const batches: CheckpointBatch[] = [];
  const responses: { take: () => void; refuse: (error: Error) => void }[] = [];
  const port = {
    applyBatch: (_thread: ThreadId, batch: CheckpointBatch) => {
      batches.push(batch);
      return new Promise<void>((take, refuse) => responses.push({ take, refuse }));
    },
    offload,
    read: () => {
      throw new Error('nothing is read here');
    },
  };
  const ceilings = createCheckpointCeilings({
    limits: deriveLimits({ maxCheckpointBytes: 0 }),
    maxCheckpointHistory: 1,
    rejections: { inc: () => undefined },
  });
  const batcher = new CheckpointBatcher(fence, port, ceilings);
  return { batcher, batches, responses };
}

it('sends nothing for a run that ends soon: its result carries the writes', async () => {
  const { batcher, batches } = openThread();
  const durable = batcher.push(save('1', {}), { isUrgent: false });
  const tail = await batcher.drain(PAYLOAD_CEILING_BYTES);
  expect([batches.length, tail.firstSeq, tail.ops]).toEqual([0, 1, [save('1', {})]]);
  tail.settle();
  await expect(durable).resolves.toBeUndefined();
});

it('keeps one batch in flight and gathers the rest behind it', async () => {
  const { batcher, batches, responses } = openThread();
  const writes = ['1', '2', '3'].map((id) => batcher.push(save(id, {}), { isUrgent: true }));
  expect(batches.map(({ firstSeq, ops }) => [firstSeq, ops.length])).toEqual([[1, 1]]);
  responses[0]?.take();
  await writes[0];
  await Promise.resolve();
  expect(batches.map(({ firstSeq, ops }) => [firstSeq, ops.length])).toEqual([
    [1, 1],
    [2, 2],
  ]);
  responses[1]?.take();
  await Promise.all(writes);
});

it('reports when writes were lost, so that the run does not count as completed', async () => {
  const { batcher, responses } = openThread();
  const durable = batcher.push(save('1', {}), { isUrgent: true });
  const lost = new ServiceError('engine_unavailable', 'The engine does not respond.');
  responses[0]?.refuse(lost);
  await expect(durable).rejects.toBe(lost);
  const tail = await batcher.drain(PAYLOAD_CEILING_BYTES);
  expect([tail.ops, tail.failure]).toEqual([[], lost]);
});

it('refuses a checkpoint that no batch could carry, naming its largest channel', async () => {
  const { batcher } = openThread();
  const large = save('1', { small: '1', notes: '1' }, { size: PAYLOAD_CEILING_BYTES });
  await expect(batcher.push(large, { isUrgent: false })).rejects.toMatchObject({
    code: 'checkpoint_too_large',
    message: expect.stringMatching(/Largest parts: "(small|notes)" with/) as string,
  });
});

it('sends first what does not fit into the result', async () => {
  const { batcher, batches, responses } = openThread();
  void batcher.push(save('1', { a: '1' }, { size: 1_000 }), { isUrgent: false });
  const draining = batcher.drain(100);
  responses[0]?.take();
  const tail = await draining;
  expect([batches.length, tail.ops]).toEqual([1, []]);
});

/** A storage that offloads when the test resolves it. */
function openStorage() {
  const waiting: { op: StoredOp; offload: () => void; fail: (error: Error) => void }[] = [];
  const released: boolean[] = [];
  const offload: CheckpointPort['offload'] = (_thread, op) => {
    if (op.kind === 'writes') return undefined;
    return new Promise<OffloadedPayload<StoredOp>>((resolve, reject) => {
      const release = ({ isCertain }: { isCertain: boolean }): void =>
        void released.push(isCertain);
      waiting.push({ op, offload: () => resolve({ kept: op, release }), fail: reject });
    });
  };
  return { offload, waiting, released };
}

it('keeps the order of writes while payloads of some are being offloaded', async () => {
  const { offload, waiting, released } = openStorage();
  const { batcher, batches, responses } = openThread(offload);
  const first = batcher.push(save('1', {}), { isUrgent: true });
  const second = batcher.push(write('1'), { isUrgent: true });
  expect(batches).toEqual([]);
  waiting[0]?.offload();
  await vi.waitFor(() => expect(batches).toHaveLength(1));
  expect(batches[0]?.ops).toEqual([save('1', {}), write('1')]);
  expect(released).toEqual([]);
  responses[0]?.take();
  await Promise.all([first, second]);
  expect(released).toEqual([true]);
});

it('still sends what precedes a write that could not be offloaded, and nothing that follows it', async () => {
  const { offload, waiting, released } = openStorage();
  const { batcher } = openThread(offload);
  const kept = batcher.push(save('1', {}), { isUrgent: false });
  const lost = batcher.push(save('2', {}), { isUrgent: false });
  const after = batcher.push(write('2'), { isUrgent: false });
  const unavailable = new ServiceError('storage_unavailable', 'The storage does not respond.');
  waiting[1]?.fail(unavailable);
  await expect(lost).rejects.toBe(unavailable);
  await expect(after).rejects.toBe(unavailable);
  waiting[0]?.offload();
  const tail = await batcher.drain(PAYLOAD_CEILING_BYTES);
  expect([tail.ops, tail.failure]).toEqual([[save('1', {})], unavailable]);
  tail.settle();
  await kept;
  expect(released).toEqual([true]);
});

it('protects payloads for a while when it is unknown whether the thread has them', async () => {
  const { offload, waiting, released } = openStorage();
  const { batcher, batches, responses } = openThread(offload);
  const lost = batcher.push(save('1', {}), { isUrgent: true });
  waiting[0]?.offload();
  await vi.waitFor(() => expect(batches).toHaveLength(1));
  responses[0]?.refuse(new ServiceError('engine_unavailable', 'The engine does not respond.'));
  await expect(lost).rejects.toMatchObject({ code: 'engine_unavailable' });
  expect(released[0]).toBe(false);
});
