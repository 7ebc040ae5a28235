import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { guestSave, guestWrites } from '../../test/fixtures/guest-writes.ts';
import { MemorySession } from '../../test/fixtures/memory-session.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { Checkpoint } from '../model/checkpoint/checkpoint.ts';
import type { CheckpointPort } from '../model/checkpoint/checkpoint-port.ts';
import type { StoredOp } from '../model/checkpoint/stored.ts';
import type { ThreadId } from '../model/ids.ts';
import { deriveLimits } from '../model/limits/limits.ts';
import { createCheckpointCeilings } from './checkpoint-ceilings.ts';
import { AttemptCheckpoints } from './checkpoint-session.ts';

const threadId = 'thread' as ThreadId; // a valid id

/** A thread of the model that has a checkpoint `0`, and notes its queries. */
let thread: MemorySession;
let asked: string[];
let readFailure: Error | undefined;

beforeEach(async () => {
  thread = new MemorySession();
  asked = [];
  readFailure = undefined;
  await thread.write(guestSave('0'), threadId);
});

const port: CheckpointPort = {
  applyBatch(_thread, { ops }) {
    asked.push(`batch of ${ops.length}`);
    thread.take(ops as StoredOp<Uint8Array>[], 'run'); // nothing is kept elsewhere here
    return Promise.resolve();
  },
  offload: () => undefined,
  async *read(_thread, { ns = '', id, limit }) {
    if (readFailure) throw readFailure;
    asked.push(`read ${id ?? 'newest'}`);
    if (limit === 1) {
      const found = await thread.load('', ns, id);
      if (found) yield found;
    } else for await (const { checkpoint } of thread.list({ ns })) yield checkpoint;
  },
};

function begin(rememberedHead: Checkpoint | null | undefined, isSynchronous = false) {
  const ceilings = createCheckpointCeilings({
    limits: deriveLimits({ maxCheckpointBytes: 0 }),
    maxCheckpointHistory: 10,
    rejections: { inc: () => undefined },
  });
  const fence = { threadId, runUuid: 'run', attempt: 1 };
  const start = { ...fence, rememberedHead, isSynchronous, ceilings };
  const attempt = new AttemptCheckpoints(start, port);
  // A write that lingers would be sent in the next test.
  onTestFinished(async () => void (await attempt.batcher.drain(Infinity)));
  return attempt;
}

it('asks the thread for its head once, and not where it is remembered', async () => {
  const unknown = begin(undefined);
  expect((await unknown.head())?.id).toBe('0');
  await unknown.head();
  expect(asked).toEqual(['read newest']);
  const remembered = begin(await thread.head());
  expect((await remembered.head())?.id).toBe('0');
  expect(await begin(null).head()).toBeUndefined();
  expect(asked).toEqual(['read newest']);
});

it('reads back what the attempt wrote without asking, also when it is not durable yet', async () => {
  const session = begin(await thread.head());
  void session.write(guestSave('1'));
  void session.write(guestWrites('1', { text: [0, '"later"'] }));
  const own = await session.load('', '', undefined);
  expect([own?.id, own?.writes.length]).toEqual(['1', 1]);
  expect((await session.load('', '', '1'))?.id).toBe('1');
  expect(asked).toEqual([]);
});

it('makes its writes durable before it reads what it does not have at hand', async () => {
  const session = begin(await thread.head());
  void session.write(guestSave('1'));
  expect((await session.load('', 'child:1', undefined))?.id).toBeUndefined();
  expect(asked).toEqual(['batch of 1', 'read newest']);
  void session.write(guestSave('2'));
  const listed = [];
  for await (const { checkpoint } of session.list({})) listed.push(checkpoint.id);
  expect(listed).toEqual(['2', '1', '0']);
});

it('asks a thread that had nothing for nothing', async () => {
  const session = begin(null);
  expect(await session.load('', '', undefined)).toBeUndefined();
  expect(asked).toEqual([]);
});

it('joins writes beside the head to those that the head has, for the next run', async () => {
  await thread.write(guestWrites('0', { __interrupt__: [-3, 'first'] }), threadId);
  const session = begin(await thread.head());
  void session.write(guestWrites('0', { text: [0, '"beside"'] }));
  const channels = session.newestHead()?.writes.map(({ channel }) => channel);
  expect(channels?.sort()).toEqual(['__interrupt__', 'text']);
});

it('waits for each write with durability "sync", and gathers them otherwise', async () => {
  const writeTwo = (session: AttemptCheckpoints) =>
    Promise.all(['1', '2'].map((id) => session.write(guestSave(id))));
  await writeTwo(begin(null, true));
  expect(asked).toEqual(['batch of 1', 'batch of 1']);
  asked = [];
  await writeTwo(begin(null, false));
  expect(asked).toEqual(['batch of 2']);
});

it('keeps the reason why the guest could not be given a checkpoint', async () => {
  const damaged = new ServiceError('checkpoint_damaged', 'A blob is damaged.');
  readFailure = damaged;
  const session = begin(undefined);
  await expect(session.load('', '', '0')).rejects.toBe(damaged);
  readFailure = new ServiceError('storage_unavailable', 'Unavailable.');
  await expect(session.head()).rejects.toThrow('Unavailable.');
  expect(session.unreadable).toBe(damaged);
});

it('lets no agent delete the thread that it runs in', async () => {
  await expect(begin(null).deleteThread()).rejects.toThrow('cannot delete the thread');
});
