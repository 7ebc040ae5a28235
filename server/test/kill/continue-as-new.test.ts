/**
 * Threads that change executions every few steps, so that kills meet the hand-over of their active run: before it, in
 * it and after it.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startRestlessService, whenHealthy } from '../fixtures/durable-service.ts';
import { ledgerEntry, readLedger } from '../fixtures/ledger.ts';
import { allGone, descendants, engineOf } from '../fixtures/process-tree.ts';
import { getRun } from '../fixtures/service-client.ts';
import { waitUntil } from '../fixtures/wait-until.ts';
import { playRounds, ROUND_LIMIT_MS, rounds, type Round } from './rounds.ts';
import { setStage } from './stage.ts';
import {
  expectQueueDone,
  expectStillSettled,
  expectWhole,
  isUnfinished,
  settled,
  startQueue,
  startSteps,
  type SettledRun,
  type StepRun,
} from './step-run.ts';

/** A step takes some ten events. */
const MARKS = { activeEvents: 25, idleEvents: 25 };
const TOTAL = 16;
const PAUSE_MS = 40;
/** A hand-over takes some tens of milliseconds. */
const HAND_OVER_MS = 60;

const stage = setStage({ startService: (options) => startRestlessService(MARKS, options) });

function startRun({ language, random }: Round): Promise<StepRun> {
  const { folder } = stage;
  const durability = random() < 0.7 ? 'sync' : 'async';
  const options = { folder, language, total: TOTAL, pauseMs: PAUSE_MS, durability } as const;
  return startSteps(stage.url, options);
}

/** Around the moment in which the run goes on in another execution. */
async function untilHandOver(run: StepRun, { random }: Round): Promise<void> {
  const first = Math.floor(random() * (TOTAL - 6));
  await ledgerEntry(run.ledger, `step ${first}`, ({ step }) => step === first);
  if (random() < 0.5) {
    // Just after it.
    const { attempt } = await getRun(stage.url, run.runId);
    await waitUntil('a change of executions', ROUND_LIMIT_MS, async () => {
      return (await getRun(stage.url, run.runId)).attempt !== attempt || !isUnfinished(run);
    });
    await pause((random() * HAND_OVER_MS) / 2);
  } else {
    // Before it, or in it.
    await pause(random() * 3 * HAND_OVER_MS);
  }
}

const limitMs = rounds * ROUND_LIMIT_MS;

test(
  'a server that is killed around a change of executions',
  async () => {
    const all: SettledRun[] = [];
    await playRounds('server killed around continue-as-new', async (round) => {
      const { language } = round;
      const { folder } = stage;
      const queue = await startQueue(stage.url, { folder, language, pauseMs: PAUSE_MS });
      const run = await startRun(round);
      await untilHandOver(run, round);
      const left = descendants(stage.service.pid);
      await stage.service.kill();
      const isCutOff = isUnfinished(run);
      const guests = new Set(readLedger(run.ledger).map(({ pid }) => pid));
      await allGone(left, ROUND_LIMIT_MS);
      await stage.start();
      const readyAt = performance.now();
      if (isCutOff) {
        const isNew = ({ pid }: { pid: number }): boolean => !guests.has(pid);
        await ledgerEntry(run.ledger, 'a new guest', isNew, ROUND_LIMIT_MS);
      }
      const goesOnAfter = performance.now() - readyAt;
      const final = await expectWhole(stage.url, run);
      expect(final.error).toBeUndefined();
      all.push(settled(run, final));
      await expectQueueDone(stage.url, queue);
      await whenHealthy(stage.url);
      return goesOnAfter;
    });
    await expectStillSettled(stage.url, all);
  },
  limitMs,
);

test(
  'a guest that is killed around a change of executions',
  async () => {
    const all: SettledRun[] = [];
    await playRounds('guest killed around continue-as-new', async (round) => {
      const run = await startRun(round);
      await untilHandOver(run, round);
      const { pid } = readLedger(run.ledger)[0] ?? { pid: 0 };
      if (isUnfinished(run)) process.kill(pid, 'SIGKILL');
      const killedAt = performance.now();
      const final = await expectWhole(stage.url, run);
      expect(final.error).toBeUndefined();
      all.push(settled(run, final));
      return performance.now() - killedAt;
    });
    await expectStillSettled(stage.url, all);
  },
  limitMs,
);

test(
  'an engine that is killed around a change of executions',
  async () => {
    const all: SettledRun[] = [];
    await playRounds('engine killed around continue-as-new', async (round) => {
      const { language } = round;
      const { folder } = stage;
      const queue = await startQueue(stage.url, { folder, language, pauseMs: PAUSE_MS });
      const run = await startRun(round);
      await untilHandOver(run, round);
      const engine = engineOf(descendants(stage.service.pid));
      process.kill(engine.pid, 'SIGKILL');
      const killedAt = performance.now();
      await allGone([engine], ROUND_LIMIT_MS);
      await whenHealthy(stage.url);
      const servesAfter = performance.now() - killedAt;
      const final = await expectWhole(stage.url, run);
      expect(final.error).toBeUndefined();
      all.push(settled(run, final));
      await expectQueueDone(stage.url, queue);
      return servesAfter;
    });
    await expectStillSettled(stage.url, all);
  },
  limitMs,
);
