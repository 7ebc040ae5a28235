/**
 * Runs that begin within the workflow task that accepts them, on a real engine with scripted guests: what becomes of each
 * when it ends soon, lasts longer, needs its thread, or loses its host. Some tests wait until the engine takes a task from
 * a worker that is gone, which takes seconds.
 */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { startThreadWorker, type ThreadWorker } from '../../src/engine/worker/thread-worker.ts';
import type { InvocationEnd } from '../../src/guest/port.ts';
import { packFrame, toBytes, unpackFrame } from '../../src/model/frame.ts';
import { compositeRunId, type RunUuid, type ThreadId } from '../../src/model/ids.ts';
import { jsonText } from '../../src/model/json.ts';
import type { RunTicket } from '../../src/model/run/run-record.ts';
import type { AttemptInput, RunReport } from '../../src/model/thread/thread-wire.ts';
import { openEngineLab, type EngineLab } from '../fixtures/engine-lab.ts';
import { deferred } from '../fixtures/deferred.ts';
import { collect } from '../fixtures/collect.ts';
import { ThreadStarter } from '../../src/engine/client/thread-starter.ts';
import type { ThreadActivities } from '../../src/workflows/activity-types.ts';
import { type LabHost, openLabHost } from '../fixtures/lab-host.ts';
import { LabThreads } from '../fixtures/lab-threads.ts';
import { ticket } from '../fixtures/thread-builder.ts';
import { waitUntil } from '../fixtures/wait-until.ts';

const LIMIT_MS = 60_000;
const settings = { maxCheckpointHistory: 100, maxRunHistory: 10, maxCheckpointBytes: 0 };
const about = { kind: 'new', createdAt: 1_000, metadata: {}, settings } as const;
const completed: InvocationEnd = { kind: 'completed', output: jsonText('{"a":1}') };
const request = packFrame({ start: { kind: 'proceed' }, config: {}, streamModes: [] });
const quick = { maxAttempts: 2, initialBackoffMs: 10, factor: 1, maxBackoffMs: 10 };

let lab: EngineLab;
let labThreads: LabThreads;
let worker: ThreadWorker;
/** Who gets the activities of a run, by its uuid. */
const routes = new Map<string, (input: AttemptInput) => LabHost>();

/** Whose first worker is gone. */
const QUEUE_OF_LOST = 'short-runs-lost';

function routed(): ThreadActivities {
  const hostOf = (frame: Uint8Array): LabHost => {
    const input = unpackFrame<AttemptInput>(frame);
    const host = routes.get(input.runUuid)?.(input);
    if (!host) throw new Error(`The test is wrong: nobody performs ${input.runUuid}.`);
    return host;
  };
  return {
    runAgent: async (frame) => hostOf(frame).activities.runAgent(frame),
    runShort: async (frame) => hostOf(frame).activities.runShort(frame),
  };
}

function startWorker(taskQueue = lab.taskQueue, activities = routed()): Promise<ThreadWorker> {
  const own = { taskQueue, activities, onRunSettled: () => undefined, maxConcurrentRuns: 10 };
  return startThreadWorker({ ...lab, ...own });
}

beforeAll(async () => {
  lab = await openEngineLab(inject('engine'), 'short-runs', { idleEvents: 30 });
  labThreads = new LabThreads(lab);
  worker = await startWorker();
});

afterAll(async () => {
  await worker.close();
  await lab.close();
});

/** A thread, and the host that performs its run of the same name. */
async function openThread(name: string): Promise<[ThreadId, LabHost]> {
  const threadId = name as ThreadId; // a valid id
  const host = openLabHost(lab);
  routes.set(name, () => host);
  await lab.starter.start({ ...about, threadId, isEphemeral: false });
  return [threadId, host];
}

/** Starts a thread with a short run of the same name. */
async function startStateless(starter: ThreadStarter, name: string): Promise<ThreadId> {
  const threadId = name as ThreadId; // a valid id
  const firstRun = shortRun(name);
  await starter.start({ ...about, threadId, isEphemeral: true, firstRun });
  return threadId;
}

function shortRun(runUuid: string, changes: Partial<RunTicket> = {}): RunTicket {
  return ticket(runUuid, { request, isShort: true, restart: quick, ...changes });
}

async function create(thread: ThreadId, run: RunTicket): Promise<RunReport> {
  return unpackFrame<RunReport>(await lab.threads.update(thread, 'createRun', run));
}

/** How often each kind of event is in the history of the thread's execution. */
async function eventsOf(thread: ThreadId): Promise<Record<string, number>> {
  const handle = lab.connection.client.workflow.getHandle(`thread-${thread}`);
  const { events } = await handle.fetchHistory();
  const kinds = (events ?? []).map((event) =>
    Object.keys(event)
      .filter((key) => key.endsWith('EventAttributes'))
      .join(),
  );
  const count = (kind: string): number => kinds.filter((one) => one.startsWith(kind)).length;
  return {
    tasks: count('workflowTaskCompleted'),
    activities: count('activityTaskScheduled'),
    local: count('markerRecorded'),
  };
}

it('creates, runs and ends a run in one workflow task, and the response has its end', async () => {
  const [thread, host] = await openThread('ends-soon');
  host.end(completed);
  const before = await waitUntil('the task of the start', LIMIT_MS, async () => {
    const events = await eventsOf(thread);
    return events['tasks'] === 1 && events;
  });
  const report = await create(thread, shortRun(thread));
  expect([report.status, report.output]).toEqual(['completed', toBytes('{"a":1}')]);
  const after = await eventsOf(thread);
  expect([after['tasks'], after['activities'], after['local']]).toEqual([
    (before['tasks'] ?? 0) + 1,
    0,
    1,
  ]);
  // It is kept until it is known to be recorded.
  expect(host.local.activeCount()).toBe(1);
  host.local.confirm(compositeRunId(thread, thread as string as RunUuid)); // the test names both alike
  expect(host.local.activeCount()).toBe(0);
});

it('does the same for a stateless run, which ends its thread', async () => {
  const host = openLabHost(lab);
  routes.set('stateless', () => host);
  host.end(completed);
  const thread = await startStateless(lab.starter, 'stateless');
  await lab.starter.untilEnd(thread);
  expect(await eventsOf(thread)).toEqual({ tasks: 1, activities: 0, local: 1 });
  expect(await labThreads.run(thread)).toMatchObject({ status: 'completed' });
});

it('responds when a run lasts longer; the same invocation goes on in an activity', async () => {
  const [thread, host] = await openThread('lasts');
  expect((await create(thread, shortRun(thread))).status).toBe('running');
  await host.save('1');
  expect(await labThreads.savedIds(thread)).toEqual(['1']);
  host.end(completed);
  const run = await labThreads.settled(thread);
  expect([run.status, run.attempt, run.lastFailure]).toEqual(['completed', 1, undefined]);
  expect(host.invocations).toHaveLength(1);
});

it('lets a run save and read as soon as it needs its thread', async () => {
  const [thread, host] = await openThread('needs-thread');
  const created = create(thread, shortRun(thread));
  await waitUntil('the invocation', LIMIT_MS, () => host.invocations.length > 0);
  const saved = host.save('1');
  const [own] = host.invocations;
  const seen = own ? await collect(own.checkpoints.list({ ns: '' })) : [];
  await saved;
  expect([(await created).status, seen.map(({ checkpoint }) => checkpoint.id)]).toEqual([
    'running',
    ['1'],
  ]);
  host.end(completed);
  await labThreads.settled(thread);
});

it('counts an attempt when the host of a run that lasts is gone before it is taken over', async () => {
  const [thread, first] = await openThread('host-gone');
  const second = openLabHost(lab);
  second.end(completed);
  routes.set(thread, () => (first.invocations.length > 0 ? second : first));
  expect((await create(thread, shortRun(thread))).status).toBe('running');
  expect(await labThreads.settled(thread)).toMatchObject({
    status: 'completed',
    attempt: 2,
    lastFailure: 'INFRA',
  });
  await first.local.active(compositeRunId(thread, thread as string as RunUuid))?.giveUp();
});

it('queues a run behind an active one, which it does not wait for', async () => {
  const [thread, host] = await openThread('behind');
  const next = openLabHost(lab);
  routes.set('next', () => next);
  next.end(completed);
  await create(thread, shortRun(thread, { isShort: false }));
  await waitUntil('the invocation', LIMIT_MS, () => host.invocations.length > 0);
  const behind = await create(thread, shortRun('next'));
  expect([behind.status, behind.queuePosition]).toEqual(['running', 1]);
  host.end(completed);
  expect((await labThreads.settled(thread, 'next')).status).toBe('completed');
  expect((await eventsOf(thread))['local']).toBe(0);
});

it('takes large requests and large ends that share a workflow task', async () => {
  const [thread, host] = await openThread('large');
  const [second, third] = [openLabHost(lab), openLabHost(lab)];
  routes.set('second', () => second);
  routes.set('third', () => third);
  const created = create(thread, shortRun(thread));
  await waitUntil('the invocation', LIMIT_MS, () => host.invocations.length > 0);
  const text = randomBytes(1_100_000).toString('base64'); // does not get smaller
  second.end({ kind: 'completed', output: jsonText(`"${text}"`) });
  third.end(completed);
  const input = { kind: 'input', json: JSON.stringify(text) };
  const large = packFrame({ start: input, config: {}, streamModes: [] });
  // Both wait for the task of the first run, and come together.
  const others = Promise.all([
    create(thread, shortRun('second')),
    create(thread, shortRun('third', { isShort: false, request: large })),
  ]);
  host.end(completed);
  expect((await created).status).toBe('completed');
  await others;
  const ends = [
    await labThreads.settled(thread, 'second'),
    await labThreads.settled(thread, 'third'),
  ];
  expect(ends.map(({ status }) => status)).toEqual(['completed', 'completed']);
});

it('is interrupted, answered and cancelled within its tasks', async () => {
  const [thread, host] = await openThread('asks');
  const interrupts = jsonText('[{"id":"i","value":"ok?"}]');
  host.end({ kind: 'interrupted', output: jsonText('{"a":1}'), interrupts });
  expect((await create(thread, shortRun(thread))).status).toBe('interrupted');
  const answer = openLabHost(lab);
  routes.set('answer', () => answer);
  answer.end(completed);
  expect((await create(thread, shortRun('answer', { isResume: true }))).status).toBe('completed');
  expect(await eventsOf(thread)).toMatchObject({ activities: 0, local: 2 });

  const stopped = openLabHost(lab);
  routes.set('stopped', () => stopped);
  const [created, cancelled] = await Promise.all([
    create(thread, shortRun('stopped')),
    lab.threads
      .update(thread, 'cancelRun', { runUuid: 'stopped', now: 2_000 })
      .catch(() => undefined),
  ]);
  expect(['running', 'cancelled', 'cancelling']).toContain(created.status);
  // It may have come before the run.
  if (!cancelled) await lab.threads.update(thread, 'cancelRun', { runUuid: 'stopped', now: 2_000 });
  expect((await labThreads.settled(thread, 'stopped')).status).toBe('cancelled');
});

it('ends every run once while the thread changes executions again and again', async () => {
  const [thread] = await openThread('on-and-on');
  const first = await labThreads.execution(thread);
  const created: string[] = [];
  for (let count = 0; count < 30; count++) {
    const name = `run-${count}`;
    const host = openLabHost(lab);
    host.end(completed);
    routes.set(name, () => host);
    const { status } = await create(thread, shortRun(name));
    created.push(status);
    expect((await labThreads.settled(thread, name)).status).toBe('completed');
    expect(host.invocations).toHaveLength(1);
  }
  expect(await labThreads.execution(thread)).not.toBe(first);
  // The others were created just before a change.
  expect(created.filter((status) => status === 'completed').length).toBeGreaterThan(20);
});

it(
  'counts an attempt when the first task of a stateless run is lost with its worker',
  { timeout: LIMIT_MS, tags: 'release' },
  async () => {
    const next = openLabHost(lab);
    next.end(completed);
    const begun = deferred();
    const lost = await startWorker(QUEUE_OF_LOST, {
      runAgent: () =>
        Promise.reject(new Error('The test is wrong: the task of the start is lost.')),
      // The process is killed meanwhile, as far as the engine can see.
      runShort() {
        begun.resolve();
        return new Promise(() => undefined);
      },
    });
    const starter = new ThreadStarter(lab.connection, QUEUE_OF_LOST);
    const thread = await startStateless(starter, 'first-task');
    await begun.promise;
    await lost.close().catch(() => undefined);
    routes.set(thread, () => next);
    const other = await startWorker(QUEUE_OF_LOST);
    expect(await labThreads.settled(thread)).toMatchObject({
      status: 'completed',
      attempt: 2,
      lastFailure: 'INFRA',
    });
    await other.close();
  },
);
