/**
 * What becomes of runs when the server is stopped. Takes seconds because whole services are stopped and started
 * again. The tests share a data directory, and each starts the service that it stops.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startDurableService, whenHealthy } from '../fixtures/durable-service.ts';
import { ledgerEntry, readLedger } from '../fixtures/ledger.ts';
import { allGone, descendants } from '../fixtures/process-tree.ts';
import {
  awaitRun,
  createRun,
  createThread,
  send,
  type RunResponse,
} from '../fixtures/service-client.ts';
import type { ServiceProcess } from '../fixtures/start-service.ts';
import { expectWhole, isUnfinished, startSteps, type StepRun } from './step-run.ts';

/** Two signals within this count as one press that arrived twice. */
const ECHO_MS = 350;
/** The system needs a short time to reap what has ended. */
const REAP_MS = 30_000;

let folder = '';
let dataDir = '';
let service: ServiceProcess | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kill-stop-'));
  dataDir = await mkdtemp(join(tmpdir(), 'kill-stop-data-'));
});

afterAll(async () => {
  await service?.stop();
  await rm(folder, { recursive: true });
  await rm(dataDir, { recursive: true });
});

async function start(environment: Record<string, string> = {}): Promise<ServiceProcess> {
  await service?.stop();
  service = await startDurableService({ dataDir, environment });
  await whenHealthy(service.url);
  return service;
}

/** A run in each language, with its first step begun. */
async function startBoth(url: string, total: number, pauseMs: number): Promise<[StepRun, StepRun]> {
  const options = { folder, total, pauseMs, durability: 'sync' } as const;
  const runs = await Promise.all([
    startSteps(url, { ...options, language: 'py' }),
    startSteps(url, { ...options, language: 'ts' }),
  ]);
  await Promise.all(runs.map(({ ledger }) => ledgerEntry(ledger, 'a step', () => true)));
  return runs;
}

test('Ctrl+C lets the runs in flight finish, then ends with 0 and leaves no process', async () => {
  const running = await start();
  const ledgers = [join(folder, 'drained-py'), join(folder, 'drained-ts')];
  const responses = ledgers.map(async (ledger) => {
    const body = {
      agent_id: `steps_${ledger.slice(-2)}`,
      input: { ledger, total: 3, pause_ms: 1_000 },
    };
    const threadId = await createThread(running.url);
    return send<RunResponse>(running.url, 'POST', `/threads/${threadId}/runs?wait=60s`, body);
  });
  await Promise.all(ledgers.map((ledger) => ledgerEntry(ledger, 'a step', () => true)));
  const processes = descendants(running.pid);
  running.interrupt();
  await running.printed(/Waiting for 2 runs to finish/);
  const refused = await fetch(`${running.url}/threads`, { method: 'POST' }).catch(() => undefined);
  expect([undefined, 503]).toContain(refused?.status);
  const finals = await Promise.all(responses);
  expect(finals.map(({ status, output }) => ({ status, done: output?.done }))).toEqual([
    { status: 'completed', done: [0, 1, 2] },
    { status: 'completed', done: [0, 1, 2] },
  ]);
  expect(await running.ended).toBe(0);
  await allGone(processes, REAP_MS);
});

test(
  'runs that the shutdown timeout cuts off, and queued ones, continue at the next start',
  { tags: 'release' },
  async () => {
    const stopping = await start({ SERVICE_SHUTDOWN_TIMEOUT: '300ms' });
    const runs = await startBoth(stopping.url, 3, 1_000);
    const [{ threadId }] = runs;
    const queuedLedger = join(folder, 'queued');
    const queued = await createRun(
      stopping.url,
      { agent_id: 'append_py', input: { ledger: queuedLedger, label: 'queued' } },
      threadId,
    );
    const processes = descendants(stopping.pid);
    stopping.interrupt();
    expect(await stopping.ended).toBe(0);
    await allGone(processes, REAP_MS);
    expect(readLedger(queuedLedger)).toEqual([]);

    const next = await start();
    for (const { runId, total } of runs) {
      expect(await awaitRun(next.url, runId)).toMatchObject({
        status: 'completed',
        output: { done: Array.from({ length: total }, (_, step) => step) },
        attempt: 2,
        last_failure: 'INFRA',
      });
    }
    const second = await awaitRun(next.url, queued.run_id);
    expect(second).toMatchObject({ status: 'completed', output: { done: [0, 1, 2, 'queued'] } });
    expect(second).not.toHaveProperty('attempt');
  },
);

test(
  'a second Ctrl+C ends at once and leaves no process; the runs continue at the next start',
  { tags: 'release' },
  async () => {
    const stopping = await start();
    const runs = await startBoth(stopping.url, 4, 2_000);
    const processes = descendants(stopping.pid);
    stopping.interrupt();
    await stopping.printed(/Waiting for 2 runs to finish/);
    await pause(ECHO_MS);
    stopping.interrupt();
    expect(await stopping.ended).toBe(130);
    // It did not wait for them.
    expect(runs.filter(isUnfinished)).toEqual(runs);
    await allGone(processes, REAP_MS);

    const next = await start();
    for (const run of runs) {
      const final = await expectWhole(next.url, run);
      expect(final).toMatchObject({ attempt: 2 });
    }
  },
);
