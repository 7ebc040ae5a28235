/** @module-tag release */
/** Takes half a minute because guests of a real service crash, and come back as often as a run may be restarted. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startDurableService } from '../fixtures/durable-service.ts';
import { ledgerEntry, readLedger } from '../fixtures/ledger.ts';
import { awaitRun, createRun } from '../fixtures/service-client.ts';
import { requireInterrupted, limitOf, playRounds, rounds, type Round } from './rounds.ts';
import { setStage } from './stage.ts';
import { expectWhole, isUnfinished, startSteps } from './step-run.ts';

const HEALTHY_RUNS = 10;
/** So many of so long are not over when the last of the ten has begun, and the one that crashes comes. */
const STEPS = 4;
const PAUSE_MS = 1_000;

const stage = setStage({
  startService: (options) =>
    startDurableService({
      ...options,
      // Four attempts wait seven seconds otherwise.
      environment: { SERVICE_ENGINE_RUN_RESTART_INITIAL_BACKOFF: '200ms' },
    }),
});

test(
  'ten runs complete beside one that crashes their guest until its restarts are used up',
  async () => {
    const playTen = async ({ number, language }: Round): Promise<number> => {
      const { folder } = stage;
      const options = {
        folder,
        language,
        total: STEPS,
        pauseMs: PAUSE_MS,
        durability: 'sync',
      } as const;
      const healthy = await Promise.all(
        Array.from({ length: HEALTHY_RUNS }, () => startSteps(stage.url, options)),
      );
      const begun = await Promise.all(
        healthy.map(({ ledger }) => ledgerEntry(ledger, 'a first step', () => true)),
      );
      const ledger = join(folder, `crash-${number}`);
      const crashing = await createRun(stage.url, {
        agent_id: `crash_${language}`,
        durability: 'sync',
        input: { ledger },
      });
      const { pid } = await ledgerEntry(ledger, 'the crash', ({ step }) => step === 'crash');
      const crashedAt = performance.now();
      // One guest of each language on a small machine: what crashes, crashes them all.
      const neighbours = healthy.filter((_, index) => begun[index]?.pid === pid);
      // The others of them may have been done just before.
      const sure = neighbours.filter(isUnfinished);
      const finals = await Promise.all(healthy.map((run) => expectWhole(stage.url, run)));
      const completedAfter = performance.now() - crashedAt;
      for (const [index, run] of healthy.entries()) {
        const { attempt = 1, last_failure: lastFailure = 'none' } = finals[index] ?? {};
        const restarts = [
          ...(sure.includes(run) ? [] : ['1 none']),
          ...(neighbours.includes(run) ? ['2 CRASH'] : []),
        ];
        expect(restarts).toContain(`${attempt} ${lastFailure}`);
      }
      expect(await awaitRun(stage.url, crashing.run_id)).toMatchObject({
        status: 'error',
        attempt: 4,
        last_failure: 'CRASH',
        error: { code: 'restarts_exhausted' },
      });
      const steps = readLedger(ledger).map(({ step }) => step);
      expect(steps).toEqual(['first', 'crash', 'crash', 'crash', 'crash']);
      requireInterrupted(sure.length > 0, 'no other run was at work on the guest that crashed');
      return completedAfter;
    };
    await playRounds('ten beside a crashing run', playTen, { count: Math.ceil(rounds / 2) });
  },
  limitOf(),
);

test.each(['py', 'ts'] as const)(
  "an exception of the agent's own code ends the run at once, and a run without input continues from where it failed (%s)",
  async (language) => {
    const ledger = join(stage.folder, `fragile-${language}`);
    const mended = join(stage.folder, `mended-${language}`);
    const body = { agent_id: `fragile_${language}` };
    const failed = await createRun(stage.url, { ...body, input: { ledger, mended } });
    const first = await awaitRun(stage.url, failed.run_id);
    expect(first).toMatchObject({
      status: 'error',
      error: { code: 'agent_error', message: 'not mended yet' },
    });
    expect(first).not.toHaveProperty('attempt');
    await writeFile(mended, '');
    const next = await createRun(stage.url, { ...body, input: null }, failed.thread_id);
    const second = await awaitRun(stage.url, next.run_id);
    expect(second).toMatchObject({
      status: 'completed',
      output: { done: ['first', 'fragile', 'last'] },
    });
    const steps = readLedger(ledger).map(({ step }) => step);
    expect(steps).toEqual(['first', 'fragile', 'fragile', 'last']);
    expect(await awaitRun(stage.url, failed.run_id)).toEqual(first);
  },
);
