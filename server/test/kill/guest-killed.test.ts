import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startDurableService, whenHealthy } from '../fixtures/durable-service.ts';
import { ledgerEntry } from '../fixtures/ledger.ts';
import type { ServiceProcess } from '../fixtures/start-service.ts';
import { playRounds, ROUND_LIMIT_MS, rounds } from './rounds.ts';
import {
  expectStillSettled,
  expectWhole,
  settled,
  startSteps,
  type SettledRun,
} from './step-run.ts';

const TOTAL = 6;
const PAUSE_MS = 120;

let folder = '';
let service: ServiceProcess;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kill-guest-'));
  service = await startDurableService();
  await whenHealthy(service.url);
});

afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

test(
  'a run whose guest is killed goes on from its last checkpoint as attempt 2, CRASH',
  async () => {
    const all: SettledRun[] = [];
    await playRounds('guest killed', async ({ language, random }) => {
      const durability = random() < 0.7 ? 'sync' : 'async';
      const options = { folder, language, total: TOTAL, pauseMs: PAUSE_MS, durability } as const;
      const run = await startSteps(service.url, options);
      const last = Math.floor(random() * (TOTAL - 1));
      const { pid } = await ledgerEntry(run.ledger, `step ${last}`, ({ step }) => step === last);
      await pause(random() * PAUSE_MS);
      process.kill(pid, 'SIGKILL');
      const killedAt = performance.now();
      const goesOn = (entry: { pid: number }): boolean => entry.pid !== pid;
      await ledgerEntry(run.ledger, 'another guest', goesOn, ROUND_LIMIT_MS);
      const goesOnAfter = performance.now() - killedAt;
      const final = await expectWhole(service.url, run);
      expect(final).toMatchObject({ attempt: 2, last_failure: 'CRASH' });
      all.push(settled(run, final));
      return goesOnAfter;
    });
    await expectStillSettled(service.url, all);
  },
  rounds * ROUND_LIMIT_MS,
);
