/**
 * A thread continues in another execution, by the bytes of its history: the guest of an active run continues, and
 * nothing is lost or done twice. A separate service, whose threads change executions early.
 */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startRestlessService, whenHealthy } from '../fixtures/durable-service.ts';
import { ledgerEntry, readLedger } from '../fixtures/ledger.ts';
import { readCounters, readValues, runToEnd } from '../fixtures/limits-service.ts';
import { readSse } from '../fixtures/read-sse.ts';
import {
  awaitRun,
  createRun,
  createThread,
  getRun,
  send,
  type HistoryResponse,
  type RunResponse,
} from '../fixtures/service-client.ts';
import { releaseUnless } from '../fixtures/shared-service.ts';
import type { ServiceProcess } from '../fixtures/start-service.ts';

const never = 1_000_000;
/** Some steps an execution. The kill tests have threads that do so by the number of events. */
const MARKS = {
  idleEvents: never,
  activeEvents: never,
  activeUpdates: never,
  idleBytes: 8_000,
  activeBytes: 16_000,
};
const TOTAL = 40;
const MODES = ['updates', 'lifecycle'];
const config = { recursion_limit: 10_000 };
const upTo = (total: number): number[] => Array.from({ length: total }, (_, index) => index);

let folder = '';
let service: ServiceProcess;
let url = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'change-of-executions-'));
  service = await startRestlessService(MARKS);
  url = service.url;
  await whenHealthy(url);
});

afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

interface Started {
  run: RunResponse;
  ledger: string;
}

async function startSteps(
  agent: string,
  input: Record<string, unknown> = {},
  asked: Record<string, unknown> = {},
): Promise<Started> {
  const ledger = join(folder, randomUUID());
  const all = { ledger, total: TOTAL, pause_ms: 0, ...input };
  const body = { agent_id: agent, durability: 'sync', config, input: all, ...asked };
  return { run: await createRun(url, body), ledger };
}

/** Resolves when the run has continued in so many other executions. */
async function continuedAtLeast(times: number, { run, ledger }: Started): Promise<void> {
  for (let step = 0; ; step += 1) {
    await ledgerEntry(ledger, `step ${step}`, (entry) => entry.step === step);
    if (((await getRun(url, run.run_id)).attempt ?? 1) > times) return;
  }
}

describe.each([
  { agent: 'steps_py', durability: 'sync', total: TOTAL, pauseMs: 0 },
  { agent: 'steps_ts', durability: 'sync', total: TOTAL, pauseMs: 0 },
  // Here it is time that fills a history: checkpoints wait for company.
  { agent: 'steps_py', durability: 'async', total: 120, pauseMs: 30 },
  { agent: 'steps_ts', durability: 'async', total: 120, pauseMs: 30 },
])('$agent, $durability', ({ agent, durability, total, pauseMs }) => {
  const isOfEveryPush = (agent === 'steps_py') === (durability === 'sync');

  test('every step is done once, by the same guest', releaseUnless(isOfEveryPush), async () => {
    const input = { total, pause_ms: pauseMs };
    const { run, ledger } = await startSteps(agent, input, { durability });
    const final = await awaitRun(url, run.run_id, 240_000);
    expect(final).toMatchObject({ status: 'completed', last_failure: 'CAN' });
    expect(final.attempt).toBeGreaterThan(1);
    expect(final.output?.done).toEqual(upTo(total));
    const entries = readLedger(ledger);
    expect(entries.map(({ step }) => step)).toEqual(upTo(total));
    expect(new Set(entries.map(({ pid }) => pid)).size).toBe(1);
    const path = `/threads/${run.thread_id}/history`;
    const history = await send<HistoryResponse[]>(url, 'GET', path);
    expect(history.map(({ values }) => values.done)).toEqual([upTo(total)]);
    expect(await getRun(url, run.run_id)).toEqual(final);
  });
});

test('a thread continues in a next execution between runs', async () => {
  const executions = async (): Promise<number> => {
    return (await readCounters(url, 'service_can_total'))['trigger="idle"'] ?? 0;
  };
  const before = await executions();
  const threadId = await createThread(url);
  const labels = Array.from({ length: 12 }, (_, index) => `run ${index}`);
  for (const label of labels) {
    const body = { agent_id: 'append_ts', input: { ledger: join(folder, 'idle'), label } };
    expect(await runToEnd(url, body, threadId)).toMatchObject({ status: 'completed' });
  }
  expect(await readValues(url, threadId)).toMatchObject({ done: labels });
  expect(await executions()).toBeGreaterThan(before);
});

test('readers of the stream notice nothing but what they asked for', async () => {
  const { run } = await startSteps('steps_py', {}, { stream_mode: MODES });
  const read = await readSse(`${url}/runs/${run.run_id}/stream`, { timeoutMs: 110_000 });
  const ids = read.events.flatMap(({ id, event }) => (event === 'done' ? [] : [id ?? 0]));
  expect(ids).toEqual(Array.from(ids, (_, index) => index + 1));
  expect([
    read.comments.filter((comment) => comment.includes('gap')),
    read.events.at(-1),
  ]).toMatchObject([[], { event: 'done', data: { status: 'completed', last_failure: 'CAN' } }]);
  const lifecycle = read.events
    .filter(({ event }) => event === 'lifecycle')
    .map(({ data }) => (data as { data: { attempt: number; last_failure: string } }).data);
  const { attempt = 1 } = await getRun(url, run.run_id);
  expect(lifecycle.map(({ attempt: number, last_failure }) => [number, last_failure])).toEqual(
    Array.from({ length: attempt }, (_, index) => [index + 1, index === 0 ? null : 'CAN']),
  );
});

test('a run that crashes later starts again', { tags: 'release' }, async () => {
  const started = await startSteps('steps_ts', { total: 120, pause_ms: 20 });
  await continuedAtLeast(2, started);
  const { pid } = readLedger(started.ledger)[0] ?? { pid: 0 };
  process.kill(pid, 'SIGKILL');
  const final = await awaitRun(url, started.run.run_id, 110_000);
  expect(final.output?.done).toEqual(upTo(120));
  const entries = readLedger(started.ledger);
  const done = entries.map(({ step }) => Number(step));
  expect(done).toEqual(done.toSorted((a, b) => a - b));
  expect(done.length).toBeLessThanOrEqual(120 + 1);
  // The killed guest and the one after it: changes of executions keep the guest, and name the last failure.
  expect(new Set(entries.map((entry) => entry.pid)).size).toBe(2);
  expect(['CRASH', 'CAN']).toContain(final.last_failure);
});

test('a run is cancelled whenever that is asked', async () => {
  const agents = ['steps_py', 'steps_ts', 'steps_py', 'steps_ts'];
  const started = await Promise.all(agents.map((agent) => startSteps(agent, { total: 1_000 })));
  await Promise.all(
    started.map(async (one, index) => {
      await continuedAtLeast(index + 1, one);
      await send(url, 'POST', `/runs/${one.run.run_id}/cancel`);
      const final = await awaitRun(url, one.run.run_id, 60_000);
      expect(final.status).toBe('cancelled');
      const { length } = readLedger(one.ledger);
      // A thread keeps its language.
      const agent = index % 2 === 0 ? 'append_py' : 'append_ts';
      const input = { ledger: one.ledger, label: 'next', pause_ms: 0 };
      const after = await runToEnd(url, { agent_id: agent, input }, one.run.thread_id);
      expect([after.status, after.error]).toEqual(['completed', undefined]);
      expect(after.output?.done?.at(-1)).toBe('next');
      expect(readLedger(one.ledger)).toHaveLength(length + 1);
    }),
  );
});

test(
  'changes of a thread under fire are all there, and its queue keeps its order',
  { tags: 'release' },
  async () => {
    const threadId = await createThread(url);
    const ledger = join(folder, randomUUID());
    const input = { ledger, total: TOTAL, pause_ms: 0 };
    const body = { agent_id: 'steps_py', durability: 'sync', config, input };
    const run = await createRun(url, body, threadId);
    const queued: string[] = [];
    const changes = upTo(10);
    for (const at of changes) {
      const patch = { metadata: { [`key${at}`]: at } };
      const append = { agent_id: 'append_py', input: { ledger, label: `${at}`, pause_ms: 0 } };
      const [, next] = await Promise.all([
        send(url, 'PATCH', `/threads/${threadId}`, patch),
        createRun(url, append, threadId),
      ]);
      queued.push(next.run_id);
      if (at % 5 === 4) {
        const dropped = await createRun(url, append, threadId);
        await send(url, 'POST', `/runs/${dropped.run_id}/cancel`);
        await send(url, 'DELETE', `/runs/${dropped.run_id}`);
      }
    }
    for (const runId of [run.run_id, ...queued]) {
      expect(await awaitRun(url, runId)).toMatchObject({ status: 'completed' });
    }
    const { metadata } = await send<{ metadata: object }>(url, 'GET', `/threads/${threadId}`);
    expect(Object.keys(metadata)).toHaveLength(changes.length);
    const { values } = await send<HistoryResponse>(url, 'GET', `/threads/${threadId}/state`);
    expect(values.done).toEqual([...upTo(TOTAL), ...changes.map(String)]);
    const runs = await send<RunResponse[]>(url, 'GET', `/threads/${threadId}/runs?limit=100`);
    expect(runs.map(({ run_id: id }) => id)).toEqual([run.run_id, ...queued].toReversed());
  },
);
