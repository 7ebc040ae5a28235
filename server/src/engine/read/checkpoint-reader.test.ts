import { expect, it } from 'vitest';
import { collect } from '../../../test/fixtures/collect.ts';
import { save, thread, write as writeOf } from '../../../test/fixtures/thread-builder.ts';
import { toBytes } from '../../model/frame.ts';
import { applyBatch } from '../../model/thread/thread-reducer.ts';
import { readBlobs, readCheckpoints as page } from '../../model/thread/thread-read.ts';
import type { ThreadId } from '../../model/ids.ts';
import type { StoredOp } from '../../model/checkpoint/stored.ts';
import type { ThreadState } from '../../model/thread/thread-record.ts';
import type { BlobAddress, CheckpointSelection } from '../../model/thread/thread-wire.ts';
import { readCheckpoint, readCheckpoints, type ThreadQueries } from './checkpoint-reader.ts';
import { askingTasks } from './views.ts';
import { Payloads } from '../client/payloads.ts';

const threadId = 'thread' as ThreadId; // a valid id
const payloads = new Payloads();
const MIB = 1_024 * 1_024;

/** A thread that responds to queries as its workflow does, and counts them. */
function openThread(ops: StoredOp[], maxCheckpointHistory = 10_000) {
  const state = thread({ maxCheckpointHistory });
  const write = (more: StoredOp[]): void =>
    applyBatch(state, { runUuid: 'run', attempt: 1, firstSeq: 1, ops: more });
  write(ops);
  const asked: string[] = [];
  const queries = {
    onQuery: (_name: string, _state: ThreadState): void => undefined,
    async query<T>(_thread: ThreadId, name: string, argument?: unknown): Promise<T> {
      asked.push(name);
      queries.onQuery(name, state);
      if (name === 'checkpoints') return page(state, argument as CheckpointSelection) as T; // its result
      const { addresses, content } = argument as {
        addresses: BlobAddress[];
        content: CheckpointSelection['content'];
      };
      return { blobs: readBlobs(state, addresses, content) } as T; // likewise
    },
  } satisfies ThreadQueries & { onQuery: unknown };
  return { state, write, asked, queries };
}

const idOf = (at: number): string => String(at).padStart(6, '0');

it('shares blobs between neighbours and asks for few at a time', async () => {
  const ops = Array.from({ length: 60 }, (_, at) =>
    save(
      idOf(at),
      { shared: 's', own: `v${at}` },
      { size: 100_000, blobs: at === 0 ? ['shared', 'own'] : ['own'] },
    ),
  );
  const { asked, queries } = openThread(ops);
  const read = await collect(
    readCheckpoints(queries, payloads, threadId, { ns: '', content: 'bytes' }),
  );
  expect(read.map(({ checkpoint }) => checkpoint.id)).toEqual(
    Array.from({ length: 60 }, (_, at) => idOf(59 - at)),
  );
  for (const { blobs } of read) {
    expect(blobs.map(({ channel, value }) => [channel, value.bytes.byteLength])).toEqual([
      ['shared', 100_000],
      ['own', 100_000],
    ]);
  }
  // 6 MB in responses of 1.9 MiB: 19 blobs with the page, the rest in three more.
  expect(asked).toEqual(['checkpoints', 'blobs', 'blobs', 'blobs']);
});

it('asks for the blobs of a checkpoint when it is due, and not before', async () => {
  const ops = Array.from({ length: 12 }, (_, at) =>
    save(idOf(at), { own: `v${at}` }, { size: MIB }),
  );
  const { asked, queries } = openThread(ops);
  const reading = readCheckpoints(queries, payloads, threadId, { ns: '', content: 'bytes' });
  await reading.next();
  expect(asked).toEqual(['checkpoints']);
  await reading.next();
  await reading.next();
  expect(asked).toEqual(['checkpoints', 'blobs', 'blobs']);
  await reading.return(undefined);
  expect(asked.length).toBe(3);
});

it('leaves out a checkpoint that is pruned while it is being read', async () => {
  const ops = Array.from({ length: 5 }, (_, at) =>
    save(idOf(at), { own: `v${at}` }, { size: MIB }),
  );
  const { state, write, queries } = openThread(ops);
  const reading = readCheckpoints(queries, payloads, threadId, { ns: '', content: 'bytes' });
  const first = await reading.next();
  state.settings = { ...state.settings, maxCheckpointHistory: 3 };
  write([save(idOf(5), { own: 'v5' }, { size: MIB })]);
  const rest = await collect(reading);
  const ids = [first.value, ...rest].map((read) => read?.checkpoint.id);
  expect(ids).toEqual([idOf(4), idOf(3)]);
});

it('reads the head again when it is replaced meanwhile', async () => {
  const large = { size: 1.2 * MIB };
  const versions = (at: number) => ({ a: `a${at}`, b: `b${at}` });
  const { write, queries, state } = openThread([save(idOf(0), versions(0), large)], 1);
  let at = 0;
  queries.onQuery = (name) => {
    if (name !== 'blobs' || at === 2) return;
    at += 1;
    write([save(idOf(at), versions(at), large)]);
  };
  const read = await readCheckpoint(queries, payloads, threadId, { ns: '', content: 'bytes' });
  expect([read?.checkpoint.id, read?.blobs.length]).toEqual([idOf(2), 2]);
  expect(state.store.namespaces.get('')?.checkpoints.length).toBe(1);
});

it('finds a checkpoint by its id in any namespace', async () => {
  const { queries } = openThread([save('1', { a: '1' }), save('2', { a: '1' }, { ns: 'child:1' })]);
  const find = (id: string) => readCheckpoint(queries, payloads, threadId, { id, content: 'json' });
  expect([
    (await find('1'))?.checkpoint.ns,
    (await find('2'))?.checkpoint.ns,
    await find('3'),
  ]).toEqual(['', 'child:1', undefined]);
});

it('opens what is stored outside the thread one checkpoint at a time, and shared values once', async () => {
  const outside = (name: string) => ({
    hash: name.padStart(64, '0'),
    size: MIB,
  });
  const ops = Array.from({ length: 1_000 }, (_, at): StoredOp => {
    const op = save(idOf(at), { shared: 's', own: `v${at}` });
    if (op.kind !== 'save') throw new Error('a save');
    const blobs = op.blobs.map((blob) => ({ ...blob, json: outside(blob.version) }));
    return { ...op, blobs };
  });
  const { queries } = openThread(ops);
  let opened = 0;
  const external = Object.assign(new Payloads(), {
    async open() {
      opened += 1;
      return new Uint8Array(8); // its size is what the thread reports
    },
  });
  let taken = 0;
  const selection = { ns: '', content: 'json' } as const;
  for await (const { blobs } of readCheckpoints(queries, external, threadId, selection)) {
    taken += 1;
    expect([blobs.length, opened]).toEqual([2, taken + 1]);
  }
  expect(taken).toBe(1_000);
});

it('has the questions at the head for responses, without what only a guest needs', async () => {
  const question = (checkpointId: string, index: number): StoredOp<Uint8Array> => {
    const op = writeOf(checkpointId, index);
    if (op.kind !== 'writes') throw new Error('writes');
    const asked = { channel: '__interrupt__', json: toBytes('[{"id":"q","value":1}]') };
    return { ...op, writes: op.writes.map((write) => ({ ...write, ...asked })) };
  };
  const ops = [save('1', { a: '1' }), question('1', 0), save('2', { a: '2' })];
  const { queries } = openThread([...ops, writeOf('2', 0), question('2', 1)].map(taskOf));
  const read = await collect(
    readCheckpoints(queries, payloads, threadId, { ns: '', content: 'json' }),
  );
  const writes = read.map(({ checkpoint }) => checkpoint.writes);
  expect(writes.map((of) => of.map(({ index, value }) => [index, value.bytes.length]))).toEqual([
    [[1, 0]],
    [],
  ]);
  expect([...askingTasks(writes[0] ?? [])]).toEqual([['q', 'task-1']]);
});

/** Each write is one of a task of its own. */
function taskOf(op: StoredOp<Uint8Array>): StoredOp<Uint8Array> {
  if (op.kind !== 'writes') return op;
  return { ...op, writes: op.writes.map((one) => ({ ...one, taskId: `task-${one.index}` })) };
}
