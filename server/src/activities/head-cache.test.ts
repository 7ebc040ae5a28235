import { expect, it } from 'vitest';
import type { Checkpoint } from '../model/checkpoint/checkpoint.ts';
import type { ThreadId } from '../model/ids.ts';
import { jsonText } from '../model/json.ts';
import { HeadCache } from './head-cache.ts';

const thread = 'a' as ThreadId; // a valid id

function checkpoint(id: string): Checkpoint {
  const empty = { tag: 'json', bytes: new Uint8Array(0) };
  return {
    ns: '',
    id,
    ts: '2026-01-01T00:00:00Z',
    skeleton: empty,
    metadata: empty,
    metadataJson: jsonText('{}'),
    versions: {},
    blobs: [],
    writes: [],
  };
}

it('knows the head of a thread at the revision at which it was remembered', () => {
  const heads = new HeadCache();
  heads.remember(thread, 3, checkpoint('c3'));
  expect(heads.find(thread, { revision: 3, headId: 'c3' })?.id).toBe('c3');
  expect(heads.find(thread, { revision: 4, headId: 'c3' })).toBeUndefined();
  expect(heads.find(thread, { revision: 0 })).toBeNull();
});

it('does not give the head of a deleted thread to another one with its id', () => {
  const heads = new HeadCache();
  heads.remember(thread, 3, checkpoint('of the deleted thread'));
  // The new thread got its state from POST state or as a copy, and has counted as far.
  expect(heads.find(thread, { revision: 3, headId: 'of the new thread' })).toBeUndefined();
});

it('keeps no memory beside the bytes of a head, which are pieces of what a guest sent', () => {
  const sent = new Uint8Array(65_536).fill(7);
  const piece = (from: number) => ({ tag: 'json', bytes: sent.subarray(from, from + 10) });
  const value = { channel: 'a', value: piece(2) };
  const head: Checkpoint = {
    ...checkpoint('c'),
    skeleton: piece(0),
    metadata: piece(1),
    blobs: [{ ...value, version: '1', json: jsonText('7') }],
    writes: [{ ...value, taskId: 't', taskPath: '', index: 0 }],
  };
  const heads = new HeadCache();
  heads.remember(thread, 1, head);
  const kept = heads.find(thread, { revision: 1, headId: 'c' });
  expect(kept).toEqual(head);
  const values = [...(kept?.blobs ?? []), ...(kept?.writes ?? [])].map((part) => part.value);
  const typed = [kept?.skeleton, kept?.metadata, ...values];
  expect(typed.map((one) => one?.bytes.buffer.byteLength)).toEqual([10, 10, 10, 10]);
});
