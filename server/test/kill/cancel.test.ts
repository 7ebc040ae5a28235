/** @module-tag release */
/** Takes half a minute because guests are given the grace of a cancelled run, and then end for real. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ledgerEntry, readLedger } from '../fixtures/ledger.ts';
import { allGone, descendants, type KnownProcess } from '../fixtures/process-tree.ts';
import { awaitRun, createRun, getRun, send, type RunResponse } from '../fixtures/service-client.ts';
import type { Language } from './rounds.ts';
import { setStage } from './stage.ts';
import { expectWhole, startSteps } from './step-run.ts';

/** Decisions, "cancel that does not stop": far more than the grace of 10 s, then SIGTERM, then SIGKILL after 5 s. */
const RECYCLE_LIMIT_MS = 60_000;
const BLOCK_MS = 120_000;

const stage = setStage();

function cancel(runId: string): Promise<RunResponse> {
  return send(stage.url, 'POST', `/runs/${runId}/cancel`, undefined, [202]);
}

test.each(['py', 'ts'] as const)(
  'a run that cooperates is cancelled at once (%s)',
  async (language) => {
    const { folder } = stage;
    const options = { folder, language, total: 100, pauseMs: 300, durability: 'async' } as const;
    const run = await startSteps(stage.url, options);
    const { pid } = await ledgerEntry(run.ledger, 'a step', ({ step }) => step === 1);
    expect(await cancel(run.runId)).toMatchObject({ status: 'cancelling' });
    expect(await awaitRun(stage.url, run.runId)).toMatchObject({ status: 'cancelled' });
    const steps = readLedger(run.ledger).length;
    // After the grace of a run that does not stop another guest would take the next one.
    const label = 'afterwards';
    const ledger = join(folder, `after-cancel-${language}`);
    const next = await createRun(stage.url, {
      agent_id: `append_${language}`,
      input: { ledger, label, pause_ms: 400 },
    });
    expect(await awaitRun(stage.url, next.run_id)).toMatchObject({ output: { done: [label] } });
    expect(readLedger(ledger).map((entry) => entry.pid)).toEqual([pid]);
    expect(readLedger(run.ledger)).toHaveLength(steps);
  },
);

/** Cancels a run that ignores it; meanwhile does something beside it on the same guest. */
async function cancelStubborn(
  language: Language,
  beside: (guest: KnownProcess) => Promise<() => Promise<void>>,
): Promise<RunResponse> {
  const ledger = join(stage.folder, `stubborn-${language}`);
  const run = await createRun(stage.url, {
    agent_id: `stubborn_${language}`,
    durability: 'sync',
    input: { ledger, pause_ms: BLOCK_MS },
  });
  const { pid } = await ledgerEntry(ledger, 'the block', ({ step }) => step === 'block');
  const guest = descendants(stage.service.pid).find((one) => one.pid === pid);
  if (!guest) throw new Error(`The guest ${pid} is no process of the service.`);
  const besideDone = await beside(guest);
  expect(await cancel(run.run_id)).toMatchObject({ status: 'cancelling' });
  // In less time than the block takes.
  const final = await awaitRun(stage.url, run.run_id, BLOCK_MS / 2);
  await besideDone();
  await allGone([guest], RECYCLE_LIMIT_MS);

  const after = join(stage.folder, `after-stubborn-${language}`);
  const next = await createRun(
    stage.url,
    { agent_id: `append_${language}`, input: { ledger: after, label: 'next', pause_ms: 0 } },
    run.thread_id,
  );
  // The first node's checkpoint is kept: the state continues from there.
  expect(await awaitRun(stage.url, next.run_id)).toMatchObject({
    status: 'completed',
    output: { done: ['first', 'next'] },
  });
  expect(readLedger(after).map((entry) => entry.pid)).not.toContain(pid);
  expect(await getRun(stage.url, run.run_id)).toEqual(final);
  return final;
}

/** A run that is longer than the grace, on the guest that is to be recycled. */
async function neighbourOn({ pid }: KnownProcess): Promise<() => Promise<void>> {
  const { folder } = stage;
  const options = {
    folder,
    language: 'py',
    total: 13,
    pauseMs: 1_000,
    durability: 'async',
  } as const;
  const run = await startSteps(stage.url, options);
  await ledgerEntry(run.ledger, 'a step', (entry) => entry.pid === pid);
  return async () => {
    expect(await expectWhole(stage.url, run)).not.toHaveProperty('attempt');
    expect(new Set(readLedger(run.ledger).map((entry) => entry.pid))).toEqual(new Set([pid]));
  };
}

/** A guest that is blocked does nothing for anybody. */
function nobodyOn(): Promise<() => Promise<void>> {
  return Promise.resolve(() => Promise.resolve());
}

describe.concurrent('a run that ignores the wish is cancelled after the grace', () => {
  test('and its guest is recycled when its other runs have finished (py)', async () => {
    const final = await cancelStubborn('py', neighbourOn);
    expect(final.status).toBe('cancelled');
  });

  test('and its guest, which it blocks, is recycled (ts)', async () => {
    const final = await cancelStubborn('ts', nobodyOn);
    expect(final.status).toBe('cancelled');
  });
});
