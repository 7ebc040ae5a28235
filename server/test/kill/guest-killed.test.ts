import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ledgerEntry } from '../fixtures/ledger.ts';
import { playRounds, ROUND_LIMIT_MS, rounds } from './rounds.ts';
import { setStage } from './stage.ts';
import {
  expectStillSettled,
  expectWhole,
  isUnfinished,
  settled,
  startSteps,
  type SettledRun,
} from './step-run.ts';

const TOTAL = 6;
const PAUSE_MS = 120;

const stage = setStage();

test(
  'a run whose guest is killed goes on from its last checkpoint as attempt 2, CRASH',
  async () => {
    const all: SettledRun[] = [];
    let cutOff = 0;
    await playRounds('guest killed', async ({ number, language, random }) => {
      const { folder } = stage;
      const durability = random() < 0.7 ? 'sync' : 'async';
      const options = { folder, language, total: TOTAL, pauseMs: PAUSE_MS, durability } as const;
      const run = await startSteps(stage.url, options);
      // The first round is in the middle of the run, however slow the machine.
      const last = number === 1 ? 0 : Math.floor(random() * (TOTAL - 1));
      const { pid } = await ledgerEntry(run.ledger, `step ${last}`, ({ step }) => step === last);
      await pause(random() * PAUSE_MS);
      process.kill(pid, 'SIGKILL');
      const killedAt = performance.now();
      const isCutOff = isUnfinished(run);
      if (isCutOff) {
        cutOff += 1;
        const goesOn = (entry: { pid: number }): boolean => entry.pid !== pid;
        await ledgerEntry(run.ledger, 'another guest', goesOn, ROUND_LIMIT_MS);
      }
      const goesOnAfter = performance.now() - killedAt;
      const final = await expectWhole(stage.url, run);
      const { attempt = 1, last_failure: lastFailure = 'none' } = final;
      // A kill during the last step may come after it.
      const restarts = isCutOff ? ['2 CRASH'] : ['1 none', '2 CRASH'];
      expect(restarts).toContain(`${attempt} ${lastFailure}`);
      all.push(settled(run, final));
      return goesOnAfter;
    });
    expect(cutOff).toBeGreaterThan(0);
    await expectStillSettled(stage.url, all);
  },
  rounds * ROUND_LIMIT_MS,
);
