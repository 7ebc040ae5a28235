import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ledgerEntry } from '../fixtures/ledger.ts';
import { playRounds, ROUND_LIMIT_MS, rounds } from './rounds.ts';
import { setStage } from './stage.ts';
import {
  expectStillSettled,
  expectWhole,
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
    await playRounds('guest killed', async ({ language, random }) => {
      const { folder } = stage;
      const durability = random() < 0.7 ? 'sync' : 'async';
      const options = { folder, language, total: TOTAL, pauseMs: PAUSE_MS, durability } as const;
      const run = await startSteps(stage.url, options);
      const last = Math.floor(random() * (TOTAL - 1));
      const { pid } = await ledgerEntry(run.ledger, `step ${last}`, ({ step }) => step === last);
      await pause(random() * PAUSE_MS);
      process.kill(pid, 'SIGKILL');
      const killedAt = performance.now();
      const goesOn = (entry: { pid: number }): boolean => entry.pid !== pid;
      await ledgerEntry(run.ledger, 'another guest', goesOn, ROUND_LIMIT_MS);
      const goesOnAfter = performance.now() - killedAt;
      const final = await expectWhole(stage.url, run);
      expect(final).toMatchObject({ attempt: 2, last_failure: 'CRASH' });
      all.push(settled(run, final));
      return goesOnAfter;
    });
    await expectStillSettled(stage.url, all);
  },
  rounds * ROUND_LIMIT_MS,
);
