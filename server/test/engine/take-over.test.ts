/**
 * Which activity continues a run whose thread has changed executions: step by step, with scripted guests.
 * Seconds go by where a host is to notice that no activity takes its guest over.
 */
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { startThreadWorker, type ThreadWorker } from '../../src/engine/worker/thread-worker.ts';
import type { InvocationEnd } from '../../src/guest/port.ts';
import { packFrame, unpackFrame } from '../../src/model/frame.ts';
import { compositeRunId, type RunUuid, type ThreadId } from '../../src/model/ids.ts';
import { jsonText } from '../../src/model/json.ts';
import type { AttemptInput } from '../../src/model/thread/thread-wire.ts';
import { deferred } from '../fixtures/deferred.ts';
import { openEngineLab, type EngineLab } from '../fixtures/engine-lab.ts';
import { type LabHost, openLabHost } from '../fixtures/lab-host.ts';
import { LabThreads } from '../fixtures/lab-threads.ts';
import { ticket } from '../fixtures/thread-builder.ts';
import { waitUntil } from '../fixtures/wait-until.ts';

const LIMIT_MS = 60_000;

let lab: EngineLab;
let labThreads: LabThreads;
let worker: ThreadWorker;
/** Who gets the next activities. Each responds when it likes. */
let route: (input: AttemptInput) => Promise<LabHost> | LabHost;

beforeAll(async () => {
  lab = await openEngineLab(inject('engine'), 'take-over', { activeEvents: 40 });
  labThreads = new LabThreads(lab);
  worker = await startThreadWorker({
    ...lab,
    activities: {
      async runAgent(frame) {
        const host = await route(unpackFrame<AttemptInput>(frame));
        return host.activities.runAgent(frame);
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

function openHost(options: { isStubborn?: boolean } = {}): LabHost {
  return openLabHost(lab, options);
}

const completed: InvocationEnd = { kind: 'completed', output: jsonText('{"a":1}') };

/** A run in sync durability on a thread that soon changes executions, begun by the host. */
async function beginOn(host: LabHost, name: string): Promise<{ thread: ThreadId; first: string }> {
  const thread = name as ThreadId; // a valid id
  route = () => host;
  await lab.starter.start({
    kind: 'new',
    threadId: thread,
    isEphemeral: false,
    createdAt: 1_000,
    metadata: {},
    settings: {
      maxCheckpointHistory: 100,
      maxRunHistory: 10,
      maxCheckpointBytes: 0,
    },
  });
  const request = packFrame({
    start: { kind: 'proceed' },
    config: {},
    durability: 'sync',
    streamModes: [],
  });
  await lab.threads.update(thread, 'createRun', ticket(name, { request }));
  await waitUntil('the invocation', LIMIT_MS, () => host.invocations.length > 0);
  return { thread, first: await labThreads.execution(thread) };
}

/** Saves until the thread is in another execution; returns the ids. */
async function saveUntilContinued(
  host: LabHost,
  thread: ThreadId,
  first: string,
): Promise<string[]> {
  const ids: string[] = [];
  while ((await labThreads.execution(thread)) === first) {
    const id = String(ids.length + 1).padStart(4, '0');
    await host.save(id);
    ids.push(id);
  }
  return ids;
}

it('keeps the end of a guest that comes before the next activity', async () => {
  const host = openHost();
  const { thread, first } = await beginOn(host, 'end-between');
  const gate = deferred();
  route = async () => (await gate.promise, host);
  const ids = await saveUntilContinued(host, thread, first);
  host.end(completed);
  // The activity before learns from its own end that no activity owns it.
  await waitUntil('the let-go', LIMIT_MS, () => host.local.activeCount() === 1);
  gate.resolve();
  expect(await labThreads.settled(thread)).toMatchObject({
    status: 'completed',
    attempt: 2,
    lastFailure: 'CAN',
  });
  expect([host.invocations.length, await labThreads.savedIds(thread)]).toEqual([1, ids]);
  await waitUntil('the end of it', LIMIT_MS, () => host.local.activeCount() === 0);
});

it('does not lose a cancel that comes between two executions, nor what was saved last', async () => {
  const host = openHost();
  const { thread, first } = await beginOn(host, 'cancel-between');
  const gate = deferred();
  route = async () => (await gate.promise, host);
  const ids = await saveUntilContinued(host, thread, first);
  const last = host.save('9999').catch(() => undefined);
  await lab.threads.update(thread, 'cancelRun', { runUuid: thread, now: 2_000 });
  host.local.abort(compositeRunId(thread, thread as string as RunUuid)); // the test names both alike
  gate.resolve();
  const run = await labThreads.settled(thread);
  await last;
  expect([run.status, run.attempt, host.hasStopped()]).toEqual(['cancelled', 2, true]);
  expect(await labThreads.savedIds(thread)).toEqual([...ids, '9999']);
});

it('starts again on another host, and refuses the guest of the one before', async () => {
  const [before, after] = [openHost(), openHost()];
  const { thread, first } = await beginOn(before, 'another-host');
  route = () => after;
  const ids = await saveUntilContinued(before, thread, first);
  const [invocation] = await waitUntil('the other guest', LIMIT_MS, () => {
    return after.invocations.length > 0 && after.invocations;
  });
  expect([invocation?.attempt, invocation?.start]).toEqual([2, { kind: 'proceed' }]);
  expect((await invocation?.checkpoints.head())?.id).toBe(ids.at(-1));
  await expect(before.save('9998')).rejects.toMatchObject({ code: 'run_fenced' });
  await after.save('9999');
  after.end(completed);
  expect(await labThreads.settled(thread)).toMatchObject({
    status: 'completed',
    attempt: 2,
    lastFailure: 'CAN',
  });
  expect(await labThreads.savedIds(thread)).toEqual([...ids, '9999']);
  // Its host has released it within the heartbeat and the grace.
  await waitUntil('the end of the guest before', LIMIT_MS, () => before.local.activeCount() === 0);
  expect(before.hasStopped()).toBe(true);
});

it('stops the guest of a thread that was deleted', async () => {
  const host = openHost();
  const { thread, first } = await beginOn(host, 'deleted-between');
  const gate = deferred();
  route = async () => (await gate.promise, host);
  await saveUntilContinued(host, thread, first);
  host.local.abortThread(thread);
  await lab.starter.remove(thread);
  await waitUntil('the end of the guest', LIMIT_MS, () => host.local.activeCount() === 0);
  expect(host.hasStopped()).toBe(true);
  gate.resolve();
});

/** Decisions: "cancel that does not stop". The grace is the workflow's own: a host that is lost to its guest releases nothing. */
it('fences a cancelled run off after its grace, and keeps one that is silent for as long', async () => {
  const [stubborn, silent] = [openHost({ isStubborn: true }), openHost()];
  const { thread: quiet } = await beginOn(silent, 'silent');
  const { thread } = await beginOn(stubborn, 'stubborn');
  await stubborn.save('0001');
  await lab.threads.update(thread, 'cancelRun', { runUuid: thread, now: 2_000 });
  expect((await labThreads.run(thread)).status).toBe('cancelling');
  expect((await labThreads.settled(thread)).status).toBe('cancelled');
  await expect(stubborn.save('0002')).rejects.toMatchObject({ code: 'run_fenced' });
  expect(await labThreads.savedIds(thread)).toEqual(['0001']);
  stubborn.end(completed);
  // Its host has sent nothing but heartbeats, for more than twice the time after which it would count as lost.
  silent.end(completed);
  expect(await labThreads.settled(quiet)).toMatchObject({ status: 'completed', attempt: 1 });
  expect(silent.invocations).toHaveLength(1);
});
