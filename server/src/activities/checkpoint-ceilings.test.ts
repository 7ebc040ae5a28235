import { expect, test } from 'vitest';
import { isServiceError } from '../errors/service-error.ts';
import type { Checkpoint } from '../model/checkpoint/checkpoint.ts';
import { jsonText } from '../model/json.ts';
import { deriveLimits } from '../model/limits/limits.ts';
import type { StoredOp, StoredWrite } from '../model/checkpoint/stored.ts';
import { createCheckpointCeilings, type CheckpointCeilings } from './checkpoint-ceilings.ts';

const M = 1_000;

function open(maxCheckpointHistory = 1): { ceilings: CheckpointCeilings; counted: string[] } {
  const counted: string[] = [];
  const ceilings = createCheckpointCeilings({
    limits: deriveLimits({ maxCheckpointBytes: M }),
    maxCheckpointHistory,
    rejections: { inc: ({ limit, operation }) => counted.push(`${operation} ${limit}`) },
  });
  return { ceilings, counted };
}

function bytes(size: number): { tag: string; bytes: Uint8Array } {
  return { tag: 'msgpack', bytes: new Uint8Array(size) };
}

/** A checkpoint of 100 bytes besides its channels; `sizes` are those of the channels that are new with it. */
function save(
  id: string,
  versions: Record<string, string>,
  sizes: Record<string, number>,
): StoredOp<Uint8Array> {
  return {
    kind: 'save',
    checkpoint: {
      ns: '',
      id,
      ts: '',
      skeleton: bytes(60),
      metadata: bytes(40),
      metadataJson: new Uint8Array(2),
      versions,
    },
    blobs: Object.entries(sizes).map(([channel, size]) => {
      return { channel, version: versions[channel] ?? '', value: bytes(size) };
    }),
  };
}

function write(channel: string, size: number, index = 0): StoredWrite<Uint8Array> {
  return { taskId: 'task-1', taskPath: '', index, channel, value: bytes(size) };
}

function writes(id: string, ...parts: StoredWrite<Uint8Array>[]): StoredOp<Uint8Array> {
  return { kind: 'writes', ns: '', checkpointId: id, writes: parts };
}

function refusal(act: () => unknown): { message: string; details: Record<string, unknown> } {
  try {
    act();
  } catch (error) {
    if (isServiceError(error) && error.code === 'checkpoint_too_large') {
      return { message: error.message, details: error.details };
    }
    throw error;
  }
  throw new Error('It was taken.');
}

test('a checkpoint is its skeleton, its metadata and all its channel values, new or not', () => {
  const { ceilings, counted } = open();
  ceilings.admit(save('1', { files: '1' }, { files: 500 }));
  ceilings.admit(save('2', { files: '1', notes: '1' }, { notes: 400 }));
  const { message, details } = refusal(() =>
    ceilings.admit(save('3', { files: '1', notes: '2' }, { notes: 401 })),
  );
  expect(details).toEqual({
    size: M + 1,
    limit: M,
    limit_name: 'checkpoint',
    setting: 'engine.max_checkpoint_bytes',
  });
  expect(message).toBe(
    'The checkpoint is 1001 bytes; the limit is 1000 bytes. ' +
      'Largest channels: "files" with 500 bytes, "notes" with 401 bytes. ' +
      'Raise engine.max_checkpoint_bytes; it applies to threads that are created afterwards.',
  );
  expect(counted).toEqual(['save_checkpoint checkpoint']);
});

test('channel values of the checkpoint that the attempt started from count too', () => {
  const { ceilings } = open();
  const head: Checkpoint = {
    ns: '',
    id: '1',
    ts: '',
    skeleton: bytes(1),
    metadata: bytes(1),
    metadataJson: jsonText('{}'),
    versions: { files: '1' },
    blobs: [{ channel: 'files', version: '1', value: bytes(800) }],
    writes: [],
  };
  ceilings.learn(head);
  ceilings.admit(save('2', { files: '1', notes: '1' }, { notes: 100 }));
  expect(
    refusal(() => ceilings.admit(save('2', { files: '1', notes: '2' }, { notes: 101 }))).details,
  ).toMatchObject({ size: M + 1 });
});

test('a channel that went does not count any more', () => {
  const { ceilings } = open();
  ceilings.admit(save('1', { files: '1' }, { files: 900 }));
  const next = save('2', { notes: '1' }, { notes: 900 });
  expect(ceilings.admit(next)).toEqual(next);
});

test('one pending-write value has the size of a checkpoint at most; task and channel are named', () => {
  const { ceilings, counted } = open();
  ceilings.admit(writes('1', write('files', M)));
  const { message, details } = refusal(() => ceilings.admit(writes('1', write('files', M + 1, 1))));
  expect(details).toMatchObject({ size: M + 1, limit: M, limit_name: 'pending_write' });
  expect(message).toMatch(/^The write of task task-1 to "files" is 1001 bytes; the limit is 1000/);
  expect(counted).toEqual(['save_writes pending_write']);
});

test('the writes of one call have one and a half times that', () => {
  const { ceilings, counted } = open();
  ceilings.admit(writes('1', write('a', 750), write('b', 750, 1)));
  const { message, details } = refusal(() =>
    ceilings.admit(writes('2', write('a', 750), write('b', 751, 1))),
  );
  expect(details).toMatchObject({ size: 1_501, limit: 1_500, limit_name: 'pending_write_batch' });
  expect(message).toContain('The writes of task task-1 are 1501 bytes together');
  expect(message).toContain('Largest of them: "b" with 751 bytes, "a" with 750 bytes.');
  expect(counted).toEqual(['save_writes pending_write_batch']);
});

test('all writes that a run retains have four times that, until their checkpoints go', () => {
  const { ceilings, counted } = open(2);
  for (const index of [0, 1]) ceilings.admit(writes('1', write('a', M, index)));
  ceilings.admit(save('1', {}, {}));
  for (const index of [0, 1]) ceilings.admit(writes('2', write('a', M, index)));
  expect(refusal(() => ceilings.admit(writes('2', write('a', 1, 2)))).details).toMatchObject({
    size: 4 * M + 1,
    limit: 4 * M,
    limit_name: 'retained_pending_writes',
  });
  expect(counted).toEqual(['save_writes retained_pending_writes']);
  ceilings.admit(writes('2', write('a', M, 1))); // the same write again: it stays as it was
  ceilings.admit(save('2', {}, {}));
  ceilings.admit(save('3', {}, {})); // checkpoint 1 goes, with its writes
  ceilings.admit(writes('3', write('a', M)));
});

test('writes of checkpoints that are no heads are dropped for new ones, oldest first, and the thread is notified', () => {
  const { ceilings, counted } = open(50);
  for (const id of ['1', '2', '3', '4']) {
    ceilings.admit(save(id, {}, {}));
    expect(ceilings.admit(writes(id, write('a', M)))).toEqual(writes(id, write('a', M)));
  }
  ceilings.admit(save('5', {}, {}));
  expect(ceilings.admit(writes('5', write('a', M), write('b', 100, 1)))).toEqual({
    ...writes('5', write('a', M), write('b', 100, 1)),
    shed: [
      { ns: '', checkpointId: '1' },
      { ns: '', checkpointId: '2' },
    ],
  });
  expect(counted).toEqual([]);
});

test('writes for a checkpoint that has gone take nothing', () => {
  const { ceilings, counted } = open();
  for (const id of ['1', '2']) ceilings.admit(save(id, {}, {}));
  for (const index of [0, 1, 2, 3, 4, 5]) ceilings.admit(writes('1', write('a', M, index)));
  expect(ceilings.admit(writes('2', write('a', M)))).toEqual(writes('2', write('a', M)));
  expect(counted).toEqual([]);
});

test('the value of an exception that is too large is left out', () => {
  const { ceilings, counted } = open();
  const admitted = ceilings.admit(writes('1', write('__error__', M + 1, -1), write('a', 1)));
  expect(admitted).toEqual(writes('1', write('a', 1)));
  expect(counted).toEqual([]);
});
