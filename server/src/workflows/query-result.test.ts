import { expect, it } from 'vitest';
import { result, save, thread, ticket } from '../../test/fixtures/thread-builder.ts';
import { unpackFrame } from '../model/frame.ts';
import { ENGINE_PAYLOAD_BYTES } from '../model/limits/limits.ts';
import { extractThread } from '../model/thread/thread-extract.ts';
import { readCheckpoints } from '../model/thread/thread-read.ts';
import * as reducer from '../model/thread/thread-reducer.ts';
import type { ThreadState } from '../model/thread/thread-record.ts';
import type { CheckpointPage } from '../model/thread/thread-wire.ts';
import { queryPage } from './query-result.ts';

/** Names as LangGraph makes them in sub-graphs: longer than what is estimated for them. */
function withLongNames(): { state: ThreadState; ns: string } {
  const state = thread();
  const ns =
    'an_agent:0199a3b2-1111-7000-8000-000000000000|its_helper:0199a3b2-1111-7000-8000-000000000001';
  for (let index = 0; index < 200; index++) {
    reducer.createRun(state, ticket(`r${index}`, { metadata: { note: '日'.repeat(1_500) } }));
    const run = reducer.activateNextRun(state);
    if (!run) throw new Error('nothing to activate');
    reducer.beginAttempt(run);
    const version = `${String(index).padStart(32, '0')}.0.12345678901234567`;
    const channels = [0, 1, 2, 3, 4, 5].map((channel) => [
      `branch:to:a_node_of_it_${channel}`,
      version,
    ]);
    const versions = Object.fromEntries(channels) as Record<string, string>; // pairs of texts
    const id = `1efabcde-0000-6000-8000-${String(index).padStart(12, '0')}`;
    const ops = [save(id, versions, { ns, parentId: id, size: 1_800 })];
    reducer.finishAttempt(state, run, result('completed', { ops }), 0);
  }
  return { state, ns };
}

it('returns a page that the engine takes, also where names are longer than was estimated', () => {
  const { state, ns } = withLongNames();
  const selection = { ns, limit: 200, content: 'bytes' } as const;
  const frame = queryPage(state, (ceiling) => readCheckpoints(state, selection, ceiling));
  expect(frame.byteLength).toBeLessThan(ENGINE_PAYLOAD_BYTES);
  expect(unpackFrame<CheckpointPage>(frame).checkpoints.length).toBeGreaterThan(100);
});

it('lets a whole thread be taken out, page by page', () => {
  const { state } = withLongNames();
  let cursor: Parameters<typeof extractThread>[1] | undefined = {
    runs: 0,
    checkpoints: 0,
    blobs: 0,
  };
  const counts = { runs: 0, checkpoints: 0, blobs: 0 };
  while (cursor) {
    const from: typeof cursor = cursor;
    const frame = queryPage(state, (ceiling) => extractThread(state, from, ceiling));
    const page = unpackFrame<ReturnType<typeof extractThread>>(frame);
    counts.runs += page.runs.length;
    counts.checkpoints += page.checkpoints.length;
    counts.blobs += page.blobs.length;
    cursor = page.next;
  }
  expect(counts).toEqual({ runs: 200, checkpoints: 200, blobs: 1_200 });
});

it('reports the sizes of a single entry that is too large', () => {
  const frame = queryPage(thread(), () => ({ value: new Uint8Array(3_000_000) }));
  expect(unpackFrame(frame)).toEqual({
    tooLarge: { size: expect.any(Number), limit: ENGINE_PAYLOAD_BYTES - 1_024 },
  });
});
