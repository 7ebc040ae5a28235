/** A run for later makes the same commands whichever worker has the thread, and however its tasks are cut. */
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { startThreadWorker, type ThreadWorker } from '../../src/engine/worker/thread-worker.ts';
import type { ThreadId } from '../../src/model/ids.ts';
import { newRunUuid, newThreadId } from '../../src/threads/new-ids.ts';
import { openEngineLab, type EngineLab } from '../fixtures/engine-lab.ts';
import { ticket } from '../fixtures/thread-builder.ts';

const HOUR_MS = 3_600_000;

let lab: EngineLab;
beforeAll(async () => {
  lab = await openEngineLab(inject('engine'), 'held-back');
});
afterAll(() => lab.close());

function startWorker(): Promise<ThreadWorker> {
  return startThreadWorker({
    ...lab,
    activities: { runAgent: () => Promise.reject(new Error('Its moment does not come.')) },
    onRunSettled: () => undefined,
    maxConcurrentRuns: 1,
  });
}

/** A worker that has none of the threads in memory, as after a restart of the server. */
async function withWorker<T>(work: () => Promise<T>): Promise<T> {
  const worker = await startWorker();
  try {
    return await work();
  } finally {
    await worker.close();
  }
}

async function newThread(): Promise<ThreadId> {
  const threadId = newThreadId();
  const settings = { maxCheckpointHistory: 1, maxRunHistory: 10, maxCheckpointBytes: 0 };
  const start = { kind: 'new', threadId, isEphemeral: false, createdAt: 1, metadata: {} } as const;
  await lab.starter.start({ ...start, settings });
  return threadId;
}

const holdBack = (threadId: ThreadId): Promise<unknown> => {
  const now = Date.now();
  const later = ticket(newRunUuid(), { createdAt: now, notBefore: now + HOUR_MS });
  return lab.threads.update(threadId, 'createRun', later);
};

const countRuns = async (threadId: ThreadId): Promise<number> => {
  const page = { limit: 5, offset: 0 };
  return (await lab.threads.query<{ total: number }>(threadId, 'runs', page)).total;
};

it('exists after a restart, where it was the first that a restarted server learned of the thread', async () => {
  const threadId = await withWorker(async () => {
    const created = await newThread();
    await countRuns(created);
    return created;
  });
  await withWorker(() => holdBack(threadId));
  // The thread continues: its history has to replay.
  await withWorker(() => holdBack(threadId));
  expect(await withWorker(() => countRuns(threadId))).toBe(2);
});

it('exists after a restart, where it came to a thread in memory', async () => {
  const threadId = await withWorker(async () => {
    const created = await newThread();
    await countRuns(created);
    await holdBack(created);
    return created;
  });
  await withWorker(() => holdBack(threadId));
  expect(await withWorker(() => countRuns(threadId))).toBe(2);
});
