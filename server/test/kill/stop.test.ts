/** The tests share a data directory: each starts where the one before has stopped. */
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
  type RunAnswer,
} from '../fixtures/service-client.ts';
import type { ServiceProcess } from '../fixtures/start-service.ts';
import { expectWhole, startSteps, type StepRun } from './step-run.ts';

/** Two signals within this count as one press that arrived twice. */
const ECHO_MS = 350;
/** The system needs a moment to reap what has ended. */
const REAP_MS = 5_000;

let folder = '';
let dataDir = '';
let service: ServiceProcess;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kill-stop-'));
  dataDir = await mkdtemp(join(tmpdir(), 'kill-stop-data-'));
});

afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
  await rm(dataDir, { recursive: true });
});

async function start(environment: Record<string, string> = {}): Promise<void> {
  service = await startDurableService({ dataDir, environment });
  await whenHealthy(service.url);
}

/** A run in each language, with its first step begun. */
async function startBoth(total: number, pauseMs: number): Promise<[StepRun, StepRun]> {
  const options = { folder, total, pauseMs, durability: 'sync' } as const;
  const runs = await Promise.all([
    startSteps(service.url, { ...options, language: 'py' }),
    startSteps(service.url, { ...options, language: 'ts' }),
  ]);
  await Promise.all(runs.map(({ ledger }) => ledgerEntry(ledger, 'a step', () => true)));
  return runs;
}

test('Ctrl+C lets the runs in flight finish, then ends with 0 and leaves no process', async () => {
  await start();
  const ledgers = [join(folder, 'drained-py'), join(folder, 'drained-ts')];
  const answers = ledgers.map(async (ledger) => {
    const body = {
      agent_id: `steps_${ledger.slice(-2)}`,
      input: { ledger, total: 3, pause_ms: 1_500 },
    };
    const threadId = await createThread(service.url);
    return send<RunAnswer>(service.url, 'POST', `/threads/${threadId}/runs?wait=60s`, body);
  });
  await Promise.all(ledgers.map((ledger) => ledgerEntry(ledger, 'a step', () => true)));
  const processes = descendants(service.pid);
  service.interrupt();
  await service.said(/Waiting for 2 runs to finish/);
  const refused = await fetch(`${service.url}/threads`, { method: 'POST' }).catch(() => undefined);
  expect([undefined, 503]).toContain(refused?.status);
  const finals = await Promise.all(answers);
  expect(finals.map(({ status, output }) => ({ status, done: output?.done }))).toEqual([
    { status: 'completed', done: [0, 1, 2] },
    { status: 'completed', done: [0, 1, 2] },
  ]);
  expect(await service.ended).toBe(0);
  await allGone(processes, REAP_MS);
});

test('runs that the shutdown timeout cuts off, and queued ones, go on at the next start', async () => {
  await start({ SERVICE_SHUTDOWN_TIMEOUT: '300ms' });
  const runs = await startBoth(3, 1_000);
  const [{ threadId }] = runs;
  const queuedLedger = join(folder, 'queued');
  const queued = await createRun(
    service.url,
    { agent_id: 'append_py', input: { ledger: queuedLedger, label: 'queued' } },
    threadId,
  );
  const processes = descendants(service.pid);
  service.interrupt();
  expect(await service.ended).toBe(0);
  await allGone(processes, REAP_MS);
  expect(readLedger(queuedLedger)).toEqual([]);

  await start();
  for (const { runId, total } of runs) {
    expect(await awaitRun(service.url, runId)).toMatchObject({
      status: 'completed',
      output: { done: Array.from({ length: total }, (_, step) => step) },
      attempt: 2,
      last_failure: 'INFRA',
    });
  }
  const second = await awaitRun(service.url, queued.run_id);
  expect(second).toMatchObject({ status: 'completed', output: { done: [0, 1, 2, 'queued'] } });
  expect(second).not.toHaveProperty('attempt');
});

test('a second Ctrl+C ends at once and leaves no process; the runs go on at the next start', async () => {
  const runs = await startBoth(3, 2_000);
  const processes = descendants(service.pid);
  service.interrupt();
  await service.said(/Waiting for 2 runs to finish/);
  await pause(ECHO_MS);
  const insistedAt = performance.now();
  service.interrupt();
  expect(await service.ended).toBe(130);
  expect(performance.now() - insistedAt).toBeLessThan(6_000);
  await allGone(processes, REAP_MS);

  await start();
  for (const run of runs) {
    const final = await expectWhole(service.url, run);
    expect(final).toMatchObject({ attempt: 2 });
  }
});
