/**
 * Threads that change executions every few steps, so that kills meet the hand-over of their active run: before it, in
 * it and after it.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startRestlessService, whenHealthy } from '../fixtures/durable-service.ts';
import { ledgerEntry, readLedger } from '../fixtures/ledger.ts';
import { allGone, descendants, engineOf } from '../fixtures/process-tree.ts';
import { getRun } from '../fixtures/service-client.ts';
import type { ServiceProcess } from '../fixtures/start-service.ts';
import { waitUntil } from '../fixtures/wait-until.ts';
import { playRounds, ROUND_LIMIT_MS, rounds, type Round } from './rounds.ts';
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

let folder = '';
let dataDir = '';
let service: ServiceProcess;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kill-continue-'));
  dataDir = await mkdtemp(join(tmpdir(), 'kill-continue-data-'));
  service = await startRestlessService(MARKS, { dataDir });
  await whenHealthy(service.url);
});

afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
  await rm(dataDir, { recursive: true });
});

function startRun({ language, random }: Round): Promise<StepRun> {
  const durability = random() < 0.7 ? 'sync' : 'async';
  const options = { folder, language, total: TOTAL, pauseMs: PAUSE_MS, durability } as const;
  return startSteps(service.url, options);
}

/** Around the moment in which the run goes on in another execution. */
async function untilHandOver(run: StepRun, { random }: Round): Promise<void> {
  const first = Math.floor(random() * (TOTAL - 6));
  await ledgerEntry(run.ledger, `step ${first}`, ({ step }) => step === first);
  if (random() < 0.5) {
    // Just after it.
    const { attempt } = await getRun(service.url, run.runId);
    await waitUntil('a change of executions', ROUND_LIMIT_MS, async () => {
      return (await getRun(service.url, run.runId)).attempt !== attempt || !isUnfinished(run);
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
      const queue = await startQueue(service.url, { folder, language, pauseMs: PAUSE_MS });
      const run = await startRun(round);
      await untilHandOver(run, round);
      const left = descendants(service.pid);
      await service.kill();
      const isCutOff = isUnfinished(run);
      const guests = new Set(readLedger(run.ledger).map(({ pid }) => pid));
      await allGone(left, ROUND_LIMIT_MS);
      service = await startRestlessService(MARKS, { dataDir });
      const readyAt = performance.now();
      if (isCutOff) {
        const isNew = ({ pid }: { pid: number }): boolean => !guests.has(pid);
        await ledgerEntry(run.ledger, 'a new guest', isNew, ROUND_LIMIT_MS);
      }
      const goesOnAfter = performance.now() - readyAt;
      const final = await expectWhole(service.url, run);
      expect(final.error).toBeUndefined();
      all.push(settled(run, final));
      await expectQueueDone(service.url, queue);
      await whenHealthy(service.url);
      return goesOnAfter;
    });
    await expectStillSettled(service.url, all);
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
      const final = await expectWhole(service.url, run);
      expect(final.error).toBeUndefined();
      all.push(settled(run, final));
      return performance.now() - killedAt;
    });
    await expectStillSettled(service.url, all);
  },
  limitMs,
);

test(
  'an engine that is killed around a change of executions',
  async () => {
    const all: SettledRun[] = [];
    await playRounds('engine killed around continue-as-new', async (round) => {
      const { language } = round;
      const queue = await startQueue(service.url, { folder, language, pauseMs: PAUSE_MS });
      const run = await startRun(round);
      await untilHandOver(run, round);
      const engine = engineOf(descendants(service.pid));
      process.kill(engine.pid, 'SIGKILL');
      const killedAt = performance.now();
      await allGone([engine], ROUND_LIMIT_MS);
      await whenHealthy(service.url);
      const servesAfter = performance.now() - killedAt;
      const final = await expectWhole(service.url, run);
      expect(final.error).toBeUndefined();
      all.push(settled(run, final));
      await expectQueueDone(service.url, queue);
      return servesAfter;
    });
    await expectStillSettled(service.url, all);
  },
  limitMs,
);
