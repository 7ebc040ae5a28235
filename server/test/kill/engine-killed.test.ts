import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { whenHealthy } from '../fixtures/durable-service.ts';
import { ledgerEntry } from '../fixtures/ledger.ts';
import { allGone, descendants, engineOf } from '../fixtures/process-tree.ts';
import { createThread, send } from '../fixtures/service-client.ts';
import { playRounds, ROUND_LIMIT_MS, rounds } from './rounds.ts';
import { setStage } from './stage.ts';
import {
  expectQueueDone,
  expectStillSettled,
  expectWhole,
  settled,
  startQueue,
  startSteps,
  type SettledRun,
} from './step-run.ts';

const TOTAL = 6;
const PAUSE_MS = 120;
/** Longer than one call waits for the engine. */
const STOOD_STILL_MS = 20_000;

const stage = setStage();

test(
  'a run whose engine is killed finishes, its saves are retried, with at most one new attempt',
  async () => {
    const all: SettledRun[] = [];
    await playRounds('engine killed', async ({ language, random }) => {
      const { folder } = stage;
      const durability = random() < 0.7 ? 'sync' : 'async';
      const options = { folder, language, total: TOTAL, pauseMs: PAUSE_MS, durability } as const;
      const queue = await startQueue(stage.url, { folder, language, pauseMs: 3 * PAUSE_MS });
      const run = await startSteps(stage.url, options);
      const last = Math.floor(random() * (TOTAL - 1));
      await ledgerEntry(run.ledger, `step ${last}`, ({ step }) => step === last);
      await pause(random() * PAUSE_MS);
      const engine = engineOf(descendants(stage.service.pid));
      process.kill(engine.pid, 'SIGKILL');
      const killedAt = performance.now();
      await allGone([engine], ROUND_LIMIT_MS);
      await whenHealthy(stage.url);
      const servesAfter = performance.now() - killedAt;
      await expectQueueDone(stage.url, queue);
      const final = await expectWhole(stage.url, run);
      // Its server outlives the engine, so the attempt may: then nothing shows.
      const { attempt = 1, last_failure: lastFailure = 'none' } = final;
      expect(['1 none', '2 INFRA']).toContain(`${attempt} ${lastFailure}`);
      all.push(settled(run, final));
      return servesAfter;
    });
    await expectStillSettled(stage.url, all);
  },
  rounds * ROUND_LIMIT_MS,
);

test('who waits for a run waits for an engine that stands still, too', async () => {
  const threadId = await createThread(stage.url);
  const ledger = join(stage.folder, 'stood-still');
  const body = { agent_id: 'steps_py', input: { ledger, total: 3, pause_ms: 1_000 } };
  const waited = send(stage.url, 'POST', `/threads/${threadId}/runs?wait=60s`, body);
  waited.catch(() => undefined); // awaited later
  await ledgerEntry(ledger, 'a step', () => true);
  const engine = engineOf(descendants(stage.service.pid));
  process.kill(engine.pid, 'SIGSTOP');
  await pause(STOOD_STILL_MS);
  process.kill(engine.pid, 'SIGCONT');
  await expect(waited).resolves.toMatchObject({ status: 'completed', output: { done: [0, 1, 2] } });
});
