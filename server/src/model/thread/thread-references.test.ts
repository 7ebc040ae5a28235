import { expect, it } from 'vitest';
import { result, save, thread, ticket, write } from '../../../test/fixtures/thread-builder.ts';
import type { PayloadRef } from '../checkpoint/payload.ts';
import type { StoredOp } from '../checkpoint/stored.ts';
import { offloadOp } from '../checkpoint/offloading.ts';
import { readReferences } from './thread-references.ts';
import {
  activateNextRun,
  applyBatch,
  beginAttempt,
  createRun,
  finishAttempt,
} from './thread-reducer.ts';
import type { ThreadState } from './thread-record.ts';
import { snapshotThread } from './thread-state.ts';

/** A thread that keeps everything outside that it can. */
async function threadOutside(): Promise<ThreadState> {
  let count = 0;
  const outside = (): PayloadRef => {
    count += 1;
    return { hash: `${count}`.padStart(64, '0'), size: 1 };
  };
  const offloaded = (op: StoredOp<Uint8Array>): Promise<StoredOp> =>
    offloadOp(op, async () => outside());
  const state = thread();
  state.questions = outside();
  for (const runUuid of ['ended', 'waiting']) {
    createRun(state, ticket(runUuid, { request: outside() }));
    const run = activateNextRun(state);
    if (!run) throw new Error('No run is due.');
    beginAttempt(run);
    const ops = [save('1', { a: '1' }), write('1'), write('later')];
    const batch = { runUuid, attempt: 1, firstSeq: 1, ops: await Promise.all(ops.map(offloaded)) };
    applyBatch(state, batch);
    if (runUuid === 'waiting') continue;
    const ends = { firstSeq: 4, output: outside(), interrupts: outside() };
    finishAttempt(state, run, result('interrupted', ends), 0);
    state.questions = outside();
  }
  return state;
}

/** Everything in a value that looks like a reference. */
function referencesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return [];
  if ('hash' in value && 'size' in value) return [String(value.hash)];
  return Object.values(value).flatMap(referencesIn);
}

it('names everything that the thread keeps outside, wherever it is referenced', async () => {
  const state = await threadOutside();
  const all = [...new Set(referencesIn(snapshotThread(state)))].sort();
  expect(all.length).toBeGreaterThanOrEqual(10);
  expect(readReferences(state, {})).toEqual({ hashes: all, isLast: true });
});

it('returns page by page, in order', async () => {
  const state = await threadOutside();
  const { hashes } = readReferences(state, {});
  const first = readReferences(state, { limit: 4 });
  expect(first).toEqual({ hashes: hashes.slice(0, 4), isLast: false });
  const after = first.hashes.at(-1) ?? '';
  expect(readReferences(state, { after })).toEqual({ hashes: hashes.slice(4), isLast: true });
});
