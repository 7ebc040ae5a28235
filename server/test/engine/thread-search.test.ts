/** What the visibility store knows of threads, with the real engine. */
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { ThreadSearcher } from '../../src/engine/search/thread-search.ts';
import { workflowIdOf } from '../../src/engine/client/thread-client.ts';
import { startThreadWorker, type ThreadWorker } from '../../src/engine/worker/thread-worker.ts';
import { EngineVisibility } from '../../src/engine/search/visibility.ts';
import type { ThreadPage, ThreadSearch } from '../../src/engine/requests.ts';
import type { ThreadId } from '../../src/model/ids.ts';
import type { AttemptInput } from '../../src/model/thread/thread-wire.ts';
import { openEngineLab, type EngineLab } from '../fixtures/engine-lab.ts';
import { result, save, threadSettings, ticket } from '../fixtures/thread-builder.ts';
import { waitUntil } from '../fixtures/wait-until.ts';
import { scriptedAgent } from '../histories/scenario.ts';

/** The visibility store follows; that it does so within a second on a machine at rest is for the suite of the specification. */
const FOLLOWS_MS = 60_000;

let lab: EngineLab;
let worker: ThreadWorker;
let searcher: ThreadSearcher;

beforeAll(async () => {
  lab = await openEngineLab(inject('engine'), 'thread-search', { idleEvents: 30 });
  worker = await startThreadWorker({
    ...lab,
    activities: {
      runAgent: scriptedAgent((input: AttemptInput) => {
        return result('completed', { ops: [save(`1-${input.runUuid}`, {})] });
      }),
    },
    onRunSettled: () => undefined,
    maxConcurrentRuns: 10,
  });
  const visibility = new EngineVisibility(lab.connection);
  searcher = new ThreadSearcher({ visibility, taskQueue: lab.taskQueue });
});

afterAll(async () => {
  await worker.close();
  await lab.close();
});

async function create(threadId: string, metadata: Record<string, string>): Promise<void> {
  const start = { kind: 'new' as const, threadId, isEphemeral: false, createdAt: 1_000, metadata };
  await lab.starter.start({ ...start, owner: 'ada', settings: threadSettings });
}

const idsOf = ({ items }: ThreadPage): string[] => items.map(({ threadId }) => threadId);

async function expectFound(
  search: Omit<ThreadSearch, 'limit'>,
  expected: string[],
): Promise<ThreadPage> {
  return waitUntil(`${JSON.stringify(search)} to find ${expected.join()}`, FOLLOWS_MS, async () => {
    const page = await searcher.find({ limit: 100, ...search });
    return idsOf(page).toSorted().join() === expected.toSorted().join() && page;
  });
}

it('keeps everything over changes of executions, and shows the thread once', async () => {
  const metadata = { suite: 'continued' };
  await create('goes-on', metadata);
  for (let index = 0; index < 12; index++) {
    const run = ticket(`run-${index}`, { agentId: `agent ${index}` });
    await lab.threads.update('goes-on' as ThreadId, 'createRun', run);
    const now = 2_000 + index;
    const changes = { metadata: { at: `${index}` }, now };
    await lab.threads.update('goes-on' as ThreadId, 'patchMetadata', changes);
  }
  const { raw } = await lab.connection.client.workflow
    .getHandle(workflowIdOf('goes-on'))
    .describe();
  const info = raw.workflowExecutionInfo;
  expect(info?.firstRunId).not.toBe(info?.execution?.runId);
  const wanted = {
    metadata: { ...metadata, at: '11' },
    agentId: 'agent 11',
    runStatus: 'completed',
  };
  const page = await expectFound({ ...wanted, runStatus: 'completed' }, ['goes-on']);
  expect(page).toEqual({
    total: 1,
    items: [
      {
        threadId: 'goes-on',
        status: 'idle',
        createdAt: 1_000,
        updatedAt: 1_000,
        metadata: { suite: 'continued', at: '11' },
        agentId: 'agent 11',
        owner: 'ada',
      },
    ],
  });
  // And no more by what it was.
  const before = await searcher.find({ limit: 100, metadata: { ...metadata, at: '10' } });
  expect(idsOf(before)).toEqual([]);
});

it('finds a thread by any of more pairs than the engine indexes', async () => {
  const many = Object.fromEntries(Array.from({ length: 250 }, (_, index) => [`k${index}`, 'v']));
  await create('many-pairs', { ...many, suite: 'many' });
  const { items } = await expectFound({ metadata: { k249: 'v' } }, ['many-pairs']);
  expect(Object.keys(items[0]?.metadata ?? {})).toHaveLength(251);
  expect(idsOf(await searcher.find({ limit: 100, metadata: { k249: 'w' } }))).toEqual([]);
});

it('leaves out what may not be seen, and continues after it', async () => {
  const ids = Array.from({ length: 9 }, (_, index) => `seen-${index}`);
  for (const id of ids) await create(id, { suite: 'seen' });
  const metadata = { suite: 'seen' };
  await expectFound({ metadata }, ids);
  const isVisible = async ({ threadId }: { threadId: string }) => Number(threadId.at(-1)) % 2 === 0;
  const first = await searcher.find({ limit: 3, metadata, isVisible });
  expect([idsOf(first), first.total]).toEqual([['seen-8', 'seen-6', 'seen-4'], 5]);
  const second = await searcher.find({ limit: 3, metadata, isVisible, cursor: String(first.next) });
  expect([idsOf(second), second.total, second.next]).toEqual([['seen-2', 'seen-0'], 5, undefined]);
  const walked = await searcher.find({ limit: 2, offset: 2, metadata, isVisible });
  expect(idsOf(walked)).toEqual(['seen-4', 'seen-2']);
});
