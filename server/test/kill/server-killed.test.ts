import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { whenHealthy } from '../fixtures/durable-service.ts';
import { ledgerEntry, readLedger } from '../fixtures/ledger.ts';
import { allGone, descendants } from '../fixtures/process-tree.ts';
import { getRun } from '../fixtures/service-client.ts';
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
  type RunQueue,
  type SettledRun,
  type StepRun,
} from './step-run.ts';

const TOTAL = 6;
const PAUSE_MS = 200;
/** What a killed server leaves behind ends by itself within this. */
const ORPHAN_LIMIT_MS = 10_000;
/** A run goes on so soon after the restarted server is ready, on a machine on which a start takes 2 s or less. */
const GOES_ON_LIMIT_MS = 5_000;
const CALM_START_MS = 2_000;
/** Beyond this the engine may have noticed by itself, from 5 s of silence of which 2 s may have been before the kill. */
const UNNOTICED_MS = 3_000;

const stage = setStage();

/** Some runs in both languages, one of which says when to kill. */
async function startRuns({ language, random }: Round): Promise<StepRun[]> {
  const { folder } = stage;
  const other = language === 'py' ? 'ts' : 'py';
  const base = { folder, total: TOTAL, pauseMs: PAUSE_MS };
  return Promise.all([
    startSteps(stage.url, { ...base, language, durability: 'sync' }),
    startSteps(stage.url, { ...base, language: other, durability: 'sync' }),
    startSteps(stage.url, {
      ...base,
      language: random() < 0.5 ? 'py' : 'ts',
      durability: 'async',
      isStateless: true,
    }),
  ]);
}

/** While some step is going on, or just after the runs were accepted. */
async function untilSomeMoment([run]: readonly StepRun[], { random }: Round): Promise<void> {
  const last = Math.floor(random() * (TOTAL + 1)) - 2;
  if (run && last >= 0) {
    await ledgerEntry(run.ledger, `step ${last}`, ({ step }) => step === last);
  }
  await pause(random() * PAUSE_MS);
}

async function killServer(isRestartedAtOnce: boolean): Promise<() => Promise<void>> {
  const left = descendants(stage.service.pid);
  expect(left.length).toBeGreaterThanOrEqual(3); // the engine and a guest of each language
  await stage.service.kill();
  const gone = allGone(left, ORPHAN_LIMIT_MS);
  gone.catch(() => undefined); // awaited later
  if (!isRestartedAtOnce) await gone;
  return () => gone;
}

/** How many of the runs were begun anew. */
async function restarted(runs: readonly StepRun[], queue: RunQueue): Promise<number> {
  const ids = [...runs.map(({ runId }) => runId), ...queue.runIds];
  const all = await Promise.all(ids.map((runId) => getRun(stage.url, runId)));
  return all.filter(({ last_failure: lastFailure }) => lastFailure === 'INFRA').length;
}

/** Longer by as much as the machine is slower just then. */
function limitAfter(startMs: number): number {
  return GOES_ON_LIMIT_MS * Math.max(1, startMs / CALM_START_MS);
}

/** How many attempts the service that runs now has taken from the one before it. */
function takenOver(): number {
  return Number(
    /taking over interrupted runs attempts=(\d+)/.exec(stage.service.output())?.[1] ?? 0,
  );
}

test(
  'the runs of a killed server go on within 5 s of its restart and finish, and nothing is left of it',
  async () => {
    const all: SettledRun[] = [];
    const compared: { restarted: number; takenOver: number }[] = [];
    await playRounds('server killed', async (round) => {
      const { language, random } = round;
      const { folder } = stage;
      const queue = await startQueue(stage.url, { folder, language, pauseMs: 3 * PAUSE_MS });
      const runs = await startRuns(round);
      await untilSomeMoment(runs, round);
      const killedAt = performance.now();
      const gone = await killServer(random() < 0.5);
      const cutOff = runs.filter(isUnfinished);
      const begun = new Set(runs.filter(({ ledger }) => readLedger(ledger).length > 0));
      const guests = new Set(
        runs.flatMap(({ ledger }) => readLedger(ledger).map(({ pid }) => pid)),
      );
      const startedAt = performance.now();
      await stage.start();
      const readyAt = performance.now();
      const isNew = ({ pid }: { pid: number }): boolean => !guests.has(pid);
      await Promise.all(
        cutOff.map(({ ledger }) => ledgerEntry(ledger, 'a new guest', isNew, ROUND_LIMIT_MS)),
      );
      const goesOnAfter = performance.now() - readyAt;
      await gone();
      for (const run of runs) {
        const final = await expectWhole(stage.url, run);
        const { attempt = 1, last_failure: lastFailure = 'none' } = final;
        const isSure = cutOff.includes(run) && begun.has(run);
        const restarts = isSure ? ['2 INFRA'] : ['1 none', '2 INFRA'];
        expect(restarts).toContain(`${attempt} ${lastFailure}`);
        all.push(settled(run, final));
      }
      await expectQueueDone(stage.url, queue);
      if (readyAt - killedAt < UNNOTICED_MS) {
        compared.push({ restarted: await restarted(runs, queue), takenOver: takenOver() });
      }
      expect(goesOnAfter).toBeLessThan(limitAfter(readyAt - startedAt));
      await whenHealthy(stage.url);
      return goesOnAfter;
    });
    process.stdout.write(
      `taken over and restarted, of quick starts: ${JSON.stringify(compared)}\n`,
    );
    // None was left for the engine to notice.
    expect(compared.filter(({ restarted, takenOver }) => restarted !== takenOver)).toEqual([]);
    await expectStillSettled(stage.url, all);
  },
  rounds * ROUND_LIMIT_MS,
);
