import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startDurableService, whenHealthy } from '../fixtures/durable-service.ts';
import { ledgerEntry, readLedger } from '../fixtures/ledger.ts';
import { allGone, descendants } from '../fixtures/process-tree.ts';
import { awaitRun, createRun, getRun, send, type RunAnswer } from '../fixtures/service-client.ts';
import type { ServiceProcess } from '../fixtures/start-service.ts';
import { expectWhole, startSteps } from './step-run.ts';

/** Decisions: "cancel that does not stop". */
const GRACE_MS = 10_000;
/** The grace, then SIGTERM, then SIGKILL after 5 s. */
const RECYCLE_LIMIT_MS = GRACE_MS + 10_000;
const BLOCK_MS = 120_000;

let folder = '';
let service: ServiceProcess;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kill-cancel-'));
  service = await startDurableService();
  await whenHealthy(service.url);
});

afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

function cancel(runId: string): Promise<RunAnswer> {
  return send(service.url, 'POST', `/runs/${runId}/cancel`, undefined, [202]);
}

test.each(['py', 'ts'] as const)(
  'a run that cooperates is cancelled at once (%s)',
  async (language) => {
    const options = { folder, language, total: 100, pauseMs: 300, durability: 'async' } as const;
    const run = await startSteps(service.url, options);
    const { pid } = await ledgerEntry(run.ledger, 'a step', ({ step }) => step === 1);
    const began = performance.now();
    expect(await cancel(run.runId)).toMatchObject({ status: 'cancelling' });
    expect(await awaitRun(service.url, run.runId)).toMatchObject({ status: 'cancelled' });
    expect(performance.now() - began).toBeLessThan(GRACE_MS);
    const steps = readLedger(run.ledger).length;
    // The guest stays, and nothing more is done for the run.
    const label = 'afterwards';
    const ledger = join(folder, `after-cancel-${language}`);
    const next = await createRun(service.url, {
      agent_id: `append_${language}`,
      input: { ledger, label, pause_ms: 400 },
    });
    expect(await awaitRun(service.url, next.run_id)).toMatchObject({ output: { done: [label] } });
    expect(readLedger(ledger).map((entry) => entry.pid)).toEqual([pid]);
    expect(readLedger(run.ledger)).toHaveLength(steps);
  },
);

test.each(['py', 'ts'])(
  'a run that ignores the wish is cancelled after the grace, and its guest is recycled (%s)',
  async (language) => {
    const ledger = join(folder, `stubborn-${language}`);
    const run = await createRun(service.url, {
      agent_id: `stubborn_${language}`,
      durability: 'sync',
      input: { ledger, pause_ms: BLOCK_MS },
    });
    const { pid } = await ledgerEntry(ledger, 'the block', ({ step }) => step === 'block');
    const guest = descendants(service.pid).filter((one) => one.pid === pid);
    expect(guest).toHaveLength(1);
    const began = performance.now();
    expect(await cancel(run.run_id)).toMatchObject({ status: 'cancelling' });
    expect(await getRun(service.url, run.run_id)).toMatchObject({ status: 'cancelling' });
    const final = await awaitRun(service.url, run.run_id);
    expect(final).toMatchObject({ status: 'cancelled' });
    expect(performance.now() - began).toBeLessThan(GRACE_MS + 5_000);
    await allGone(guest, RECYCLE_LIMIT_MS);

    const after = join(folder, `after-stubborn-${language}`);
    const next = await createRun(
      service.url,
      { agent_id: `append_${language}`, input: { ledger: after, label: 'next', pause_ms: 0 } },
      run.thread_id,
    );
    // The first node's checkpoint is kept: the state goes on from there.
    expect(await awaitRun(service.url, next.run_id)).toMatchObject({
      status: 'completed',
      output: { done: ['first', 'next'] },
    });
    const [entry] = readLedger(after);
    expect(entry?.pid).not.toBe(pid);
    expect(await getRun(service.url, run.run_id)).toEqual(final);
  },
);

test('the other runs of a guest that is to be recycled finish on it', async () => {
  const ledger = join(folder, 'stubborn-beside');
  const stubborn = await createRun(service.url, {
    agent_id: 'stubborn_py',
    input: { ledger, pause_ms: BLOCK_MS },
  });
  const { pid } = await ledgerEntry(ledger, 'the block', ({ step }) => step === 'block');
  const guest = descendants(service.pid).filter((one) => one.pid === pid);
  const options = {
    folder,
    language: 'py',
    total: 14,
    pauseMs: 1_000,
    durability: 'async',
  } as const;
  const beside = await startSteps(service.url, options);
  await ledgerEntry(beside.ledger, 'a step', (entry) => entry.pid === pid);
  await cancel(stubborn.run_id);
  expect(await awaitRun(service.url, stubborn.run_id)).toMatchObject({ status: 'cancelled' });
  const final = await expectWhole(service.url, beside);
  expect(final).not.toHaveProperty('attempt');
  expect(new Set(readLedger(beside.ledger).map((entry) => entry.pid))).toEqual(new Set([pid]));
  await allGone(guest, RECYCLE_LIMIT_MS);
});
