/** A thread goes on in another execution while a run is active: the guest goes on, and nothing is lost or doubled. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startRestlessService, whenHealthy } from '../fixtures/durable-service.ts';
import { ledgerEntry, readLedger } from '../fixtures/ledger.ts';
import { readSse } from '../fixtures/read-sse.ts';
import {
  awaitRun,
  createRun,
  createThread,
  getRun,
  send,
  type HistoryAnswer,
  type RunAnswer,
} from '../fixtures/service-client.ts';
import type { ServiceProcess } from '../fixtures/start-service.ts';

/** About four steps an execution. */
const MARKS = { activeEvents: 40, idleEvents: 40 };
const TOTAL = 120;
const MODES = ['updates', 'lifecycle'];
const steps = Array.from({ length: TOTAL }, (_, step) => step);

let folder = '';
let service: ServiceProcess;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'continue-while-active-'));
  service = await startRestlessService(MARKS);
  await whenHealthy(service.url);
});

afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

interface Started {
  run: RunAnswer;
  ledger: string;
}

async function startSteps(
  agent: string,
  durability: string,
  more: Record<string, unknown> = {},
  asked: Record<string, unknown> = {},
): Promise<Started> {
  const ledger = join(folder, randomUUID());
  const input = { ledger, total: TOTAL, pause_ms: durability === 'sync' ? 0 : 30, ...more };
  const config = { recursion_limit: 10_000 };
  const body = { agent_id: agent, durability, config, input, ...asked };
  return { run: await createRun(service.url, body), ledger };
}

/** Resolves when the run has gone on in so many other executions. */
async function continuedAtLeast(times: number, { run, ledger }: Started): Promise<void> {
  let step = 0;
  for (;;) {
    await ledgerEntry(ledger, `step ${step}`, (entry) => entry.step === step);
    if (((await getRun(service.url, run.run_id)).attempt ?? 1) > times) return;
    step += 1;
  }
}

describe.each(['steps_py', 'steps_ts'])('%s', (agent) => {
  test.each(['sync', 'async'])(
    '%s: every step is done once, by the same guest',
    async (durability) => {
      const started = await startSteps(agent, durability);
      const { run, ledger } = started;
      const final = await awaitRun(service.url, run.run_id, 240_000);
      expect(final).toMatchObject({ status: 'completed', last_failure: 'CAN' });
      expect(final.attempt).toBeGreaterThan(1);
      expect(final.output?.done).toEqual(steps);
      const entries = readLedger(ledger);
      expect(entries.map(({ step }) => step)).toEqual(steps);
      expect(new Set(entries.map(({ pid }) => pid)).size).toBe(1);
      const path = `/threads/${run.thread_id}/history`;
      const history = await send<HistoryAnswer[]>(service.url, 'GET', path);
      expect(history.map(({ values }) => values.done)).toEqual([steps]);
      expect(await getRun(service.url, run.run_id)).toEqual(final);
    },
    300_000,
  );
});

test('readers of the stream notice nothing but what they asked for', async () => {
  const { run } = await startSteps('steps_py', 'sync', {}, { stream_mode: MODES });
  const read = await readSse(`${service.url}/runs/${run.run_id}/stream`, { timeoutMs: 240_000 });
  const ids = read.events.flatMap(({ id, event }) => (event === 'done' ? [] : [id ?? 0]));
  expect(ids).toEqual(Array.from(ids, (_, index) => index + 1));
  expect([
    read.comments.filter((comment) => comment.includes('gap')),
    read.events.at(-1),
  ]).toMatchObject([[], { event: 'done', data: { status: 'completed', last_failure: 'CAN' } }]);
  const lifecycle = read.events
    .filter(({ event }) => event === 'lifecycle')
    .map(({ data }) => (data as { data: { attempt: number; last_failure: string } }).data);
  const { attempt = 1 } = await getRun(service.url, run.run_id);
  expect(lifecycle.map(({ attempt: number, last_failure }) => [number, last_failure])).toEqual(
    Array.from({ length: attempt }, (_, index) => [index + 1, index === 0 ? null : 'CAN']),
  );
}, 300_000);

test('a run that crashes later begins anew, and its restarts are counted apart', async () => {
  const started = await startSteps('steps_ts', 'sync', { pause_ms: 20 });
  await continuedAtLeast(2, started);
  const { pid } = readLedger(started.ledger)[0] ?? { pid: 0 };
  process.kill(pid, 'SIGKILL');
  const final = await awaitRun(service.url, started.run.run_id, 240_000);
  expect(final.output?.done).toEqual(steps);
  const done = readLedger(started.ledger).map(({ step }) => Number(step));
  expect(done).toEqual(done.toSorted((a, b) => a - b));
  expect(done.length).toBeLessThanOrEqual(TOTAL + 1);
  expect(['CRASH', 'CAN']).toContain(final.last_failure);
}, 300_000);

test('a run is cancelled whenever that is asked', async () => {
  const started = await Promise.all(
    ['steps_py', 'steps_ts', 'steps_py', 'steps_ts'].map((agent) => startSteps(agent, 'sync')),
  );
  await Promise.all(
    started.map(async (one, index) => {
      await continuedAtLeast(index + 1, one);
      await send(service.url, 'POST', `/runs/${one.run.run_id}/cancel`);
      const final = await awaitRun(service.url, one.run.run_id, 60_000);
      expect(final.status).toBe('cancelled');
      const { length } = readLedger(one.ledger);
      const next = await createRun(
        service.url,
        {
          // A thread keeps its language.
          agent_id: index % 2 === 0 ? 'append_py' : 'append_ts',
          input: { ledger: one.ledger, label: 'next', pause_ms: 0 },
        },
        one.run.thread_id,
      );
      const after = await awaitRun(service.url, next.run_id);
      expect([after.status, after.error]).toEqual(['completed', undefined]);
      expect(after.output?.done?.at(-1)).toBe('next');
      expect(readLedger(one.ledger)).toHaveLength(length + 1);
    }),
  );
}, 300_000);

test('changes of a thread under fire are all there, and its queue keeps its order', async () => {
  const threadId = await createThread(service.url);
  const ledger = join(folder, randomUUID());
  const config = { recursion_limit: 10_000 };
  const input = { ledger, total: TOTAL, pause_ms: 0 };
  const body = { agent_id: 'steps_py', durability: 'sync', config, input };
  const run = await createRun(service.url, body, threadId);
  const queued: string[] = [];
  for (let at = 0; at < 40; at += 1) {
    const patch = { metadata: { [`key${at}`]: at } };
    const append = { agent_id: 'append_py', input: { ledger, label: `${at}`, pause_ms: 0 } };
    const [, next] = await Promise.all([
      send(service.url, 'PATCH', `/threads/${threadId}`, patch),
      createRun(service.url, append, threadId),
    ]);
    queued.push(next.run_id);
    if (at % 10 === 9) {
      const dropped = await createRun(service.url, append, threadId);
      await send(service.url, 'POST', `/runs/${dropped.run_id}/cancel`);
      await send(service.url, 'DELETE', `/runs/${dropped.run_id}`);
    }
  }
  for (const runId of [run.run_id, ...queued]) {
    expect(await awaitRun(service.url, runId, 240_000)).toMatchObject({ status: 'completed' });
  }
  const { metadata } = await send<{ metadata: object }>(service.url, 'GET', `/threads/${threadId}`);
  expect(Object.keys(metadata)).toHaveLength(40);
  const labels = Array.from({ length: 40 }, (_, at) => `${at}`);
  const { values } = await send<HistoryAnswer>(service.url, 'GET', `/threads/${threadId}/state`);
  expect(values.done).toEqual([...steps, ...labels]);
  const runs = await send<RunAnswer[]>(service.url, 'GET', `/threads/${threadId}/runs?limit=100`);
  expect(runs.map(({ run_id: id }) => id)).toEqual([run.run_id, ...queued].toReversed());
}, 300_000);
