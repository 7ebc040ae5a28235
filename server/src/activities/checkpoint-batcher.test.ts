import { expect, it } from 'vitest';
import { save } from '../../test/fixtures/thread-builder.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { ThreadId } from '../model/ids.ts';
import { PAYLOAD_CEILING_BYTES } from '../model/limits.ts';
import type { CheckpointBatch } from '../model/thread-wire.ts';
import { CheckpointBatcher } from './checkpoint-batcher.ts';

const fence = { threadId: 'thread' as ThreadId, runUuid: 'run', attempt: 1 }; // a valid id

/** A thread that takes a batch when it is told to. */
function openThread() {
  const batches: CheckpointBatch[] = [];
  const answers: { take: () => void; refuse: (error: Error) => void }[] = [];
  const port = {
    applyBatch: (_thread: ThreadId, batch: CheckpointBatch) => {
      batches.push(batch);
      return new Promise<void>((take, refuse) => answers.push({ take, refuse }));
    },
    read: () => {
      throw new Error('nothing is read here');
    },
  };
  const batcher = new CheckpointBatcher(fence, port);
  return { batcher, batches, answers };
}

it('sends nothing for a run that ends soon: its writes are handed over', async () => {
  const { batcher, batches } = openThread();
  const durable = batcher.push(save('1', {}), { isUrgent: false });
  const tail = await batcher.drain(PAYLOAD_CEILING_BYTES);
  expect([batches.length, tail.firstSeq, tail.ops]).toEqual([0, 1, [save('1', {})]]);
  tail.settle();
  await expect(durable).resolves.toBeUndefined();
});

it('keeps one batch in flight and gathers the rest behind it', async () => {
  const { batcher, batches, answers } = openThread();
  const writes = ['1', '2', '3'].map((id) => batcher.push(save(id, {}), { isUrgent: true }));
  expect(batches.map(({ firstSeq, ops }) => [firstSeq, ops.length])).toEqual([[1, 1]]);
  answers[0]?.take();
  await writes[0];
  await Promise.resolve();
  expect(batches.map(({ firstSeq, ops }) => [firstSeq, ops.length])).toEqual([
    [1, 1],
    [2, 2],
  ]);
  answers[1]?.take();
  await Promise.all(writes);
});

it('says when writes were lost, so that the run does not count as completed', async () => {
  const { batcher, answers } = openThread();
  const durable = batcher.push(save('1', {}), { isUrgent: true });
  const lost = new ServiceError('engine_unavailable', 'The engine does not answer.');
  answers[0]?.refuse(lost);
  await expect(durable).rejects.toBe(lost);
  const tail = await batcher.drain(PAYLOAD_CEILING_BYTES);
  expect([tail.ops, tail.failure]).toEqual([[], lost]);
});

it('refuses a checkpoint that no batch could carry, naming its largest channel', async () => {
  const { batcher } = openThread();
  const large = save('1', { small: '1', notes: '1' }, { size: PAYLOAD_CEILING_BYTES });
  await expect(batcher.push(large, { isUrgent: false })).rejects.toMatchObject({
    code: 'checkpoint_too_large',
    message: expect.stringMatching(/Largest part: channel "(small|notes)"/) as string,
  });
});

it('sends first what does not fit into the hand-over', async () => {
  const { batcher, batches, answers } = openThread();
  void batcher.push(save('1', { a: '1' }, { size: 1_000 }), { isUrgent: false });
  const draining = batcher.drain(100);
  answers[0]?.take();
  const tail = await draining;
  expect([batches.length, tail.ops]).toEqual([1, []]);
});
