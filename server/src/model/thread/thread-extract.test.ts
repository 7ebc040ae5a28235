import { expect, it } from 'vitest';
import { result, save, thread, ticket, write } from '../../../test/fixtures/thread-builder.ts';
import {
  activateNextRun,
  applyBatch,
  beginAttempt,
  createRun,
  finishAttempt,
} from './thread-reducer.ts';
import { extractThread, type ThreadExtract } from './thread-extract.ts';
import type { ThreadState } from './thread-record.ts';
import { openThread, snapshotThread } from './thread-state.ts';
import { toBytes } from '../frame.ts';

function busyThread(): ThreadState {
  const state = thread({ maxCheckpointHistory: 10 });
  for (const name of ['r1', 'r2']) {
    const run = createRun(state, ticket(name));
    activateNextRun(state);
    beginAttempt(run);
    const ops = [
      save(`${name}-a`, { a: name, shared: '1' }),
      save(`${name}-b`, { a: `${name}b`, shared: '1' }, { ns: 'child' }),
      write(`${name}-a`),
    ];
    finishAttempt(state, run, result('completed', { ops, output: toBytes('{"a":1}') }), 0);
  }
  createRun(state, ticket('r3'));
  return state;
}

function everyPage(state: ThreadState, ceiling: number): ThreadExtract[] {
  const pages: ThreadExtract[] = [];
  for (let from: ThreadExtract['next'] = { runs: 0, checkpoints: 0, blobs: 0 }; from;) {
    const page: ThreadExtract = extractThread(state, from, ceiling);
    pages.push(page);
    from = page.next;
  }
  return pages;
}

it.each([1, 1_500, 4_000, 1_000_000])('gives the whole thread in pages of %i bytes', (ceiling) => {
  const state = busyThread();
  const pages = everyPage(state, ceiling);
  expect(new Set(pages.map(({ mark }) => mark)).size).toBe(1);
  const [first] = pages;
  const snapshot = {
    thread: first?.thread,
    runs: pages.flatMap(({ runs }) => runs),
    store: {
      checkpoints: pages.flatMap(({ checkpoints }) => checkpoints),
      blobs: pages.flatMap(({ blobs }) => blobs),
    },
  };
  expect(snapshot).toEqual(snapshotThread(state));
  expect(pages.length).toBeGreaterThanOrEqual(ceiling === 1 ? 10 : 1);
});

it('marks every change, so that pages of two states are never put together', () => {
  const state = busyThread();
  const marks = new Set<string>();
  const look = (): void =>
    void marks.add(extractThread(state, { runs: 0, checkpoints: 0, blobs: 0 }).mark);
  look();
  const run = activateNextRun(state);
  look();
  if (!run) throw new Error('nothing is queued');
  beginAttempt(run);
  look();
  applyBatch(state, { runUuid: 'r3', attempt: 1, firstSeq: 1, ops: [write('r1-a', 1)] });
  look();
  finishAttempt(state, run, result('interrupted', { firstSeq: 2 }), 0);
  look();
  const output = state.runs.get('r1');
  delete output?.output;
  look();
  expect(marks.size).toBe(6);
});

it('opens again as the same thread', () => {
  const state = busyThread();
  const [page] = everyPage(state, 1_000_000);
  if (!page) throw new Error('no page');
  const { thread: head, runs, checkpoints, blobs } = page;
  const again = openThread({
    kind: 'continued',
    snapshot: { thread: head, runs, store: { checkpoints, blobs } },
  });
  expect(again).toEqual(state);
});
