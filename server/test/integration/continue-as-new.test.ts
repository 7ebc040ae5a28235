/** A thread lives longer than one history: between runs it goes on in another execution, and nobody notices. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPayloads } from '../../src/engine/payloads.ts';
import { readCheckpoints } from '../../src/engine/checkpoint-reader.ts';
import { workflowIdOf } from '../../src/engine/thread-client.ts';
import { startThreadWorker, type ThreadWorker } from '../../src/engine/thread-worker.ts';
import { fromBytes, toBytes } from '../../src/model/frame.ts';
import type { ThreadId } from '../../src/model/ids.ts';
import type { StoredOp } from '../../src/model/stored.ts';
import type { RunReport, ThreadReport } from '../../src/model/thread-wire.ts';
import { openEngineLab, type EngineLab } from '../fixtures/engine-lab.ts';
import { result, save, ticket } from '../fixtures/thread-builder.ts';
import { scriptedAgent } from '../histories/scenarios.ts';

/** At least 10 events a run: enough for two changes of execution at 1,000 events each, which wait for a moment without a run. */
const FEWEST_RUNS = 240;
const MOST_RUNS = 480;
const EXECUTIONS = 3;
const LANES = 4;

let lab: EngineLab;
let worker: ThreadWorker;
const thread = 'long-thread' as ThreadId; // a valid id
const largeThread = 'large-thread' as ThreadId; // likewise
const order: string[] = [];

/** A channel more, of random content: the engine's history is compressed. */
function growth(runUuid: string): StoredOp {
  const blobs = Array.from({ length: Number(runUuid.slice(1)) + 1 }, (_, index) => `c${index}`);
  const versions = Object.fromEntries(blobs.map((channel) => [channel, '1']));
  const op = save(runUuid, versions, { blobs: blobs.slice(-1) });
  if (op.kind === 'save') for (const blob of op.blobs) blob.value.bytes = randomBytes(1_000_000);
  return op;
}

beforeAll(async () => {
  lab = await openEngineLab();
  worker = await startThreadWorker({
    ...lab,
    activities: {
      runAgent: scriptedAgent(({ threadId, runUuid }) => {
        if (threadId === largeThread) return result('completed', { ops: [growth(runUuid)] });
        order.push(runUuid);
        const id = String(order.length).padStart(6, '0');
        const ops = [save(id, { a: id, constant: 'once' })];
        return result('completed', { ops, output: toBytes(`"${runUuid}"`) });
      }),
    },
    onRunSettled: () => undefined,
    maxConcurrentRuns: 10,
  });
});

afterAll(async () => {
  await worker.close();
  await lab.close();
});

async function settled(runUuid: string, on = thread): Promise<RunReport> {
  for (;;) {
    const { run } = await lab.threads.query<{ run: RunReport }>(on, 'run', { runUuid });
    if (run.status !== 'running') return run;
  }
}

it('keeps every run, its output and its checkpoint over changes of execution under load', async () => {
  await lab.starter.start({
    kind: 'new',
    threadId: thread,
    isEphemeral: false,
    createdAt: 1_000,
    metadata: { team: 'a' },
    settings: { maxCheckpointHistory: 1, maxRunHistory: 1_000, maxCheckpointBytes: 0 },
  });
  const handle = lab.connection.client.workflow.getHandle(workflowIdOf(thread));
  const executions = new Set([(await handle.describe()).runId]);
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < (executions.size < EXECUTIONS ? MOST_RUNS : FEWEST_RUNS)) {
      const index = next++;
      const runUuid = `r${index}`;
      await lab.threads.update(thread, 'createRun', ticket(runUuid));
      const run = await settled(runUuid);
      expect([run.status, fromBytes(run.output as Uint8Array /* nothing is outside */)]).toEqual([
        'completed',
        `"${runUuid}"`,
      ]);
      if (index % 20 === 0) executions.add((await handle.describe()).runId);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  executions.add((await handle.describe()).runId);

  expect(executions.size).toBeGreaterThanOrEqual(EXECUTIONS);
  // Each run was run once, whichever execution it met.
  expect(order.toSorted()).toEqual(
    Array.from({ length: next }, (_, index) => `r${index}`).toSorted(),
  );
  const { total } = await lab.threads.query<{ total: number }>(thread, 'runs', {
    limit: 10,
    offset: 0,
  });
  expect(total).toBe(next);
  const report = await lab.threads.query<ThreadReport>(thread, 'thread');
  expect([report.createdAt, report.metadata, report.status]).toEqual([
    1_000,
    { team: 'a' },
    'idle',
  ]);
  const ids: string[] = [];
  for await (const { checkpoint, blobs } of readCheckpoints(lab.threads, createPayloads(), thread, {
    ns: '',
    content: 'json',
  })) {
    ids.push(checkpoint.id);
    expect(blobs).toHaveLength(2);
  }
  expect(ids).toHaveLength(next);
  expect(ids).toEqual(ids.toSorted().reverse());
}, 180_000);

it('goes on in the same execution while its state does not fit into the next one', async () => {
  await lab.starter.start({
    kind: 'new',
    threadId: largeThread,
    isEphemeral: false,
    createdAt: 1_000,
    metadata: {},
    settings: { maxCheckpointHistory: 1, maxRunHistory: 1_000, maxCheckpointBytes: 0 },
  });
  const statuses: string[] = [];
  for (const runUuid of ['r0', 'r1', 'r2', 'r3']) {
    await lab.threads.update(largeThread, 'createRun', ticket(runUuid));
    statuses.push((await settled(runUuid, largeThread)).status);
  }
  expect(statuses).toEqual(['completed', 'completed', 'completed', 'completed']);
}, 60_000);
