/** @module-tag release */
/**
 * Threads that change executions every few steps, so that kills meet the hand-over of their active run: before it, in
 * it and after it. Takes seconds because service and engine are real processes, which are killed.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startRestlessService, whenHealthy } from '../fixtures/durable-service.ts';
import { ledgerEntry, readLedger } from '../fixtures/ledger.ts';
import { allGone, descendants, engineOf } from '../fixtures/process-tree.ts';
import { getRun } from '../fixtures/service-client.ts';
import { waitUntil } from '../fixtures/wait-until.ts';
import { requireInterrupted, limitOf, playRounds, ROUND_LIMIT_MS, type Round } from './rounds.ts';
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
/** An async run saves several steps at once: it takes more of them until it changes executions. */
const TOTAL = { sync: 16, async: 60 };
const PAUSE_MS = 40;
/** Its first attempt, what became of the kill, and a change of executions. */
const FEWEST_ATTEMPTS = 3;
/** A hand-over takes some tens of milliseconds. */
const HAND_OVER_MS = 60;

const stage = setStage({ startService: (options) => startRestlessService(MARKS, options) });

function startRun({ language, random }: Round): Promise<StepRun> {
  const { folder } = stage;
  const durability = random() < 0.7 ? 'sync' : 'async';
  const options = {
    folder,
    language,
    total: TOTAL[durability],
    pauseMs: PAUSE_MS,
    durability,
  } as const;
  return startSteps(stage.url, options);
}

/** Around the time at which the run continues in another execution. */
async function untilHandOver(run: StepRun, { random }: Round): Promise<void> {
  const first = Math.floor(random() * (run.total - 6));
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

/** Counts the round only when it has cut the run off, and the run did change executions. */
function requireInterruptedAround({ final }: SettledRun, isCutOff: boolean): void {
  requireInterrupted(isCutOff, 'the run had begun its last step');
  requireInterrupted((final.attempt ?? 1) >= FEWEST_ATTEMPTS, 'the run did not change executions');
}

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
      const resumedAfterMs = performance.now() - readyAt;
      const whole = settled(run, await expectWhole(stage.url, run));
      all.push(whole);
      await expectQueueDone(stage.url, queue);
      await whenHealthy(stage.url);
      requireInterruptedAround(whole, isCutOff);
      return resumedAfterMs;
    });
    expect(all).not.toEqual([]);
    await expectStillSettled(stage.url, all);
  },
  limitOf(),
);

test(
  'a guest that is killed around a change of executions',
  async () => {
    const all: SettledRun[] = [];
    const play = async (round: Round): Promise<number> => {
      const run = await startRun(round);
      const { pid } = await ledgerEntry(run.ledger, 'a step', () => true);
      await untilHandOver(run, round);
      process.kill(pid, 'SIGKILL');
      const killedAt = performance.now();
      const isCutOff = isUnfinished(run);
      if (isCutOff) {
        const isNew = (entry: { pid: number }): boolean => entry.pid !== pid;
        await ledgerEntry(run.ledger, 'another guest', isNew, ROUND_LIMIT_MS);
      }
      const resumedAfterMs = performance.now() - killedAt;
      const whole = settled(run, await expectWhole(stage.url, run));
      all.push(whole);
      requireInterruptedAround(whole, isCutOff);
      return resumedAfterMs;
    };
    await playRounds('guest killed around continue-as-new', play, { first: 'ts' });
    expect(all).not.toEqual([]);
    await expectStillSettled(stage.url, all);
  },
  limitOf(),
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
      const isCutOff = isUnfinished(run);
      await allGone([engine], ROUND_LIMIT_MS);
      await whenHealthy(stage.url);
      const servesAfter = performance.now() - killedAt;
      const whole = settled(run, await expectWhole(stage.url, run));
      all.push(whole);
      await expectQueueDone(stage.url, queue);
      requireInterruptedAround(whole, isCutOff);
      return servesAfter;
    });
    expect(all).not.toEqual([]);
    await expectStillSettled(stage.url, all);
  },
  limitOf(),
);
