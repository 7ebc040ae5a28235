/** A thread lives longer than one history: between runs it continues in another execution, and no client notices. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { Payloads } from '../../src/engine/client/payloads.ts';
import { readCheckpoints } from '../../src/engine/read/checkpoint-reader.ts';
import { workflowIdOf } from '../../src/engine/client/thread-client.ts';
import { startThreadWorker, type ThreadWorker } from '../../src/engine/worker/thread-worker.ts';
import { fromBytes, toBytes } from '../../src/model/frame.ts';
import type { ThreadId } from '../../src/model/ids.ts';
import type { StoredOp } from '../../src/model/checkpoint/stored.ts';
import type { RunReport, ThreadReport } from '../../src/model/thread/thread-wire.ts';
import type { ContinueReport } from '../../src/workflows/messages.ts';
import { openEngineLab, type EngineLab } from '../fixtures/engine-lab.ts';
import type { ContinueMarks } from '../fixtures/restless-bundle.ts';
import { result, save, threadSettings, ticket } from '../fixtures/thread-builder.ts';
import { scriptedAgent } from '../histories/scenario.ts';

const EXECUTIONS = 3;
const LANES = 4;
/** Reached when the state has outgrown what an execution can be given. */
const LARGE_EVENTS = 30;
/** At least 10 events a run: enough in one round for a change at 150 of them. */
const RUNS_OF_LANE = 5;

/** A state that leaves no room for another run below the mark, if it counts itself; an input travels twice. */
const HEAVY = { mark: 100_000, state: 80_000, input: 10_000 };

const largeThread = 'large-thread' as ThreadId; // a valid id
const heavyThread = 'heavy-thread' as ThreadId; // a valid id
const ended = new Map<string, string[]>();
const continued: ContinueReport[] = [];

/** A state that the first run writes, and every other one keeps. */
function heavy(runUuid: string): StoredOp {
  const op = save(runUuid, { state: '1' }, { blobs: runUuid === 'r0' ? ['state'] : [] });
  if (op.kind === 'save') for (const blob of op.blobs) blob.value.bytes = randomBytes(HEAVY.state);
  return op;
}

/** A channel more, of random content: the engine's history is compressed. */
function growth(runUuid: string): StoredOp {
  const blobs = Array.from({ length: Number(runUuid.slice(1)) + 1 }, (_, index) => `c${index}`);
  const versions = Object.fromEntries(blobs.map((channel) => [channel, '1']));
  const op = save(runUuid, versions, { blobs: blobs.slice(-1) });
  if (op.kind === 'save') for (const blob of op.blobs) blob.value.bytes = randomBytes(1_000_000);
  return op;
}

/** A worker whose threads change executions at these marks, for the tests around. */
function serve(taskQueue: string, marks: Partial<ContinueMarks>): () => EngineLab {
  let lab: EngineLab;
  let worker: ThreadWorker;
  beforeAll(async () => {
    lab = await openEngineLab(inject('engine'), taskQueue, marks);
    worker = await startThreadWorker({
      ...lab,
      activities: {
        runAgent: scriptedAgent(({ threadId, runUuid }) => {
          if (threadId === largeThread) return result('completed', { ops: [growth(runUuid)] });
          if (threadId === heavyThread) return result('completed', { ops: [heavy(runUuid)] });
          const order = ended.get(threadId) ?? [];
          ended.set(threadId, [...order, runUuid]);
          const id = String(order.length).padStart(6, '0');
          const ops = [save(id, { a: id, constant: 'once' })];
          return result('completed', { ops, output: toBytes(`"${runUuid}"`) });
        }),
      },
      onRunSettled: () => undefined,
      onContinued: (report) => continued.push(report),
      maxConcurrentRuns: 10,
    });
  });
  afterAll(async () => {
    await worker.close();
    await lab.close();
  });
  return () => lab;
}

async function start(lab: EngineLab, threadId: ThreadId): Promise<void> {
  const about = { isEphemeral: false, createdAt: 1_000, metadata: { team: 'a' } };
  await lab.starter.start({ kind: 'new', threadId, ...about, settings: threadSettings });
}

async function settled(lab: EngineLab, runUuid: string, on: ThreadId): Promise<RunReport> {
  for (;;) {
    const { run } = await lab.threads.query<{ run: RunReport }>(on, 'run', { runUuid });
    if (run.status !== 'running') return run;
  }
}

const changesOf = (thread: ThreadId) => continued.filter(({ threadId }) => threadId === thread);

describe.each([
  ['150 events', { idleEvents: 150 }, []],
  ["the product's own mark", {}, ['release']],
])('a thread that changes executions at %s', (mark, marks, tags) => {
  const serving = serve(`continue-as-new-${mark.length}`, marks);
  // A round of runs in several lanes ends with a short time without a run: then the thread may change executions.
  it(
    'keeps every run, its output and its checkpoint over changes of execution under load',
    { tags, timeout: 300_000 },
    async () => {
      const thread = `busy-${mark.length}` as ThreadId; // a valid id
      const lab = serving();
      await start(lab, thread);
      let next = 0;
      const lane = async (): Promise<void> => {
        for (let left = RUNS_OF_LANE; left > 0; left--) {
          const runUuid = `r${next++}`;
          await lab.threads.update(thread, 'createRun', ticket(runUuid));
          const run = await settled(lab, runUuid, thread);
          expect([
            run.status,
            fromBytes(run.output as Uint8Array /* nothing is outside */),
          ]).toEqual(['completed', `"${runUuid}"`]);
        }
      };
      while (changesOf(thread).length < EXECUTIONS - 1) {
        await Promise.all(Array.from({ length: LANES }, lane));
      }

      const handle = lab.connection.client.workflow.getHandle(workflowIdOf(thread));
      const info = (await handle.describe()).raw.workflowExecutionInfo;
      expect(info?.execution?.runId).not.toBe(info?.firstRunId);
      // Each run was run once, whichever execution it met.
      expect(ended.get(thread)?.toSorted()).toEqual(
        Array.from({ length: next }, (_, index) => `r${index}`).toSorted(),
      );
      const page = { limit: 10, offset: 0 };
      expect(await lab.threads.query(thread, 'runs', page)).toMatchObject({ total: next });
      const report = await lab.threads.query<ThreadReport>(thread, 'thread');
      expect([report.createdAt, report.metadata, report.status]).toEqual([
        1_000,
        { team: 'a' },
        'idle',
      ]);
      const ids: string[] = [];
      const selection = { ns: '', content: 'json' } as const;
      const all = readCheckpoints(lab.threads, new Payloads(), thread, selection);
      for await (const { checkpoint, blobs } of all) {
        ids.push(checkpoint.id);
        expect(blobs).toHaveLength(2);
      }
      expect(ids).toHaveLength(next);
      expect(ids).toEqual(ids.toSorted().reverse());
    },
  );
});

describe('a thread that has outgrown what an execution can be given', () => {
  const serving = serve('continue-as-new-large', { idleEvents: LARGE_EVENTS });

  it('continues in the same execution while its state does not fit into the next one', async () => {
    const lab = serving();
    await start(lab, largeThread);
    const handle = lab.connection.client.workflow.getHandle(workflowIdOf(largeThread));
    const { runId } = await handle.describe();
    const statuses: string[] = [];
    for (const runUuid of ['r0', 'r1', 'r2', 'r3']) {
      await lab.threads.update(largeThread, 'createRun', ticket(runUuid));
      // A run that is held back stays in the queue: it must not pass for one that is about to go.
      const held = { notBefore: Date.now() + 3_600_000 };
      if (runUuid === 'r0')
        await lab.threads.update(largeThread, 'createRun', ticket('held', held));
      statuses.push((await settled(lab, runUuid, largeThread)).status);
    }
    expect(statuses).toEqual(['completed', 'completed', 'completed', 'completed']);
    const { historyLength, runId: last } = await handle.describe();
    expect(historyLength).toBeGreaterThan(LARGE_EVENTS);
    expect([last, changesOf(largeThread)]).toEqual([runId, []]);
  });
});

describe('a thread whose state is nearly as large as the history of an execution may become', () => {
  const serving = serve('continue-as-new-heavy', { idleBytes: HEAVY.mark });

  it('changes executions as seldom as a small one', async () => {
    const lab = serving();
    await start(lab, heavyThread);
    for (const runUuid of ['r0', 'r1', 'r2', 'r3']) {
      const request = randomBytes(HEAVY.input);
      await lab.threads.update(heavyThread, 'createRun', ticket(runUuid, { request }));
      await settled(lab, runUuid, heavyThread);
    }
    expect(changesOf(heavyThread)).toHaveLength(1);
  });
});
