/** What a starting server does about the attempts of the one before it, with an activity that is never heard of again. */
import { rm, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Context } from '@temporalio/activity';
import { afterAll, beforeAll, beforeEach, expect, inject, it } from 'vitest';
import { RunJournal } from '../../src/engine/worker/run-journal.ts';
import { startThreadWorker, type ThreadWorker } from '../../src/engine/worker/thread-worker.ts';
import { unpackFrame } from '../../src/model/frame.ts';
import type { RunUuid, ThreadId } from '../../src/model/ids.ts';
import type { AttemptInput, RunReport } from '../../src/model/thread/thread-wire.ts';
import { newRunUuid } from '../../src/threads/new-ids.ts';
import { openEngineLab, type EngineLab } from '../fixtures/engine-lab.ts';
import { ticket } from '../fixtures/thread-builder.ts';
import { waitUntil } from '../fixtures/wait-until.ts';

const LIMIT_MS = 60_000;

let lab: EngineLab;
let worker: ThreadWorker;
const begun: AttemptInput[] = [];

beforeEach(() => rm(join(lab.folder, 'active-runs'), { recursive: true, force: true }));

beforeAll(async () => {
  lab = await openEngineLab(inject('engine'), 'lost-attempts');
  worker = await startThreadWorker({
    ...lab,
    activities: {
      // Handed over by the engine, and nothing is noted of it. It is not silent, so the engine gives nothing up itself.
      async runAgent(frame) {
        begun.push(unpackFrame<AttemptInput>(frame));
        const context = Context.current();
        const heartbeat = setInterval(() => context.heartbeat(), 1_000);
        // When the worker stops, or learns that the attempt is over.
        return context.cancelled.finally(() => clearInterval(heartbeat));
      },
    },
    onRunSettled: () => undefined,
    maxConcurrentRuns: 10,
  });
});

afterAll(async () => {
  await worker.close();
  await lab.close();
});

/** A run whose first attempt the engine has handed to the worker. Its thread has the same id. */
async function handedOver(): Promise<ThreadId & RunUuid> {
  const name = newRunUuid();
  const threadId = name as unknown as ThreadId & RunUuid; // a uuid is a valid id of a thread
  const settings = { maxCheckpointHistory: 1, maxRunHistory: 10, maxCheckpointBytes: 0 };
  const start = { kind: 'new', threadId, isEphemeral: false, createdAt: 1, metadata: {} } as const;
  await lab.starter.start({ ...start, settings });
  await lab.threads.update(threadId, 'createRun', ticket(name));
  await waitUntil('the first attempt', LIMIT_MS, () => attemptsOf(name).length > 0);
  return threadId;
}

function attemptsOf(name: string): AttemptInput[] {
  return begun.filter(({ runUuid }) => runUuid === name);
}

function notes(): Promise<string[]> {
  return readdir(join(lab.folder, 'active-runs'));
}

async function runOf(thread: ThreadId): Promise<RunReport> {
  const { run } = await lab.threads.query<{ run: RunReport }>(thread, 'run', { runUuid: thread });
  return run;
}

/** What the engine has as the reasons; its own, after 5 s of silence, is "activity Heartbeat timeout". */
async function endsOfAttempts(thread: ThreadId): Promise<unknown[]> {
  const history = await lab.connection.client.workflow.getHandle(`thread-${thread}`).fetchHistory();
  const ends = history.events?.map(
    (event) => event.activityTaskFailedEventAttributes ?? event.activityTaskTimedOutEventAttributes,
  );
  return ends?.flatMap((end) => (end ? [end.failure?.message] : [])) ?? [];
}

it('fails an attempt that the process before was given and did not live to begin', async () => {
  const thread = await handedOver();
  new RunJournal(lab.folder, 'lab').add(thread, thread); // when the run was accepted
  expect(await new RunJournal(lab.folder, 'next').failLost(lab.connection)).toBe(1);
  const report = await waitUntil('the next attempt', LIMIT_MS, async () => {
    const run = await runOf(thread);
    return run.attempt === 2 && run;
  });
  expect(report).toMatchObject({ status: 'running', lastFailure: 'INFRA' });
  expect(await endsOfAttempts(thread)).toEqual(['The server that ran the attempt is gone.']);
  expect(await notes()).toEqual([expect.stringContaining(thread)]); // for who starts next
});

it('leaves alone what another process is at work on, what waits, and what is gone', async () => {
  const elsewhere = await handedOver();
  const before = new RunJournal(lab.folder, 'before');
  before.add(elsewhere, elsewhere);
  before.add(elsewhere, newRunUuid()); // it waits
  before.add('no-such-thread' as ThreadId, newRunUuid());
  await writeFile(join(lab.folder, 'active-runs', 'half-written'), '');
  expect(await new RunJournal(lab.folder, 'next').failLost(lab.connection)).toBe(0);
  expect(await runOf(elsewhere)).toMatchObject({ status: 'running', attempt: 1 });
  expect(await notes()).toEqual([]);
});
