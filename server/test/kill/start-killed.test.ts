import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { durableAgents, startDurableService, testPython } from '../fixtures/durable-service.ts';
import { ledgerEntry } from '../fixtures/ledger.ts';
import { allGone, descendants } from '../fixtures/process-tree.ts';
import { spawnService } from '../fixtures/start-service.ts';
import { playRounds, ROUND_LIMIT_MS, rounds } from './rounds.ts';
import { expectWhole, startSteps } from './step-run.ts';

/** A start takes about this long; later kills are those of `server-killed.test.ts`. */
const START_MS = 4_000;
const KILLED_STARTS = 2;
const ORPHAN_LIMIT_MS = 10_000;

let folder = '';
let dataDir = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kill-start-'));
  dataDir = await mkdtemp(join(tmpdir(), 'kill-start-data-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true });
  await rm(dataDir, { recursive: true });
});

/** Starts a server and kills it while it starts; nothing of it is left when this resolves. */
async function killStart(afterMs: number): Promise<void> {
  const flags = ['--interpreter', testPython(), '--data-dir', dataDir, '--api-addr', '127.0.0.1:0'];
  const child = spawnService(durableAgents, flags);
  await pause(afterMs);
  const left = descendants(child.pid ?? 0);
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
  await allGone(left, ORPHAN_LIMIT_MS);
}

test(
  'a server that is killed while it starts leaves nothing behind, and the next one goes on with its runs',
  async () => {
    await playRounds(
      'killed while starting',
      async ({ language, random }) => {
        const first = await startDurableService({ dataDir });
        const options = { folder, language, total: 6, pauseMs: 300, durability: 'sync' } as const;
        const run = await startSteps(first.url, options);
        await ledgerEntry(run.ledger, 'a step', ({ step }) => step === 1);
        await first.kill();
        for (let start = 0; start < KILLED_STARTS; start += 1) await killStart(random() * START_MS);
        const last = await startDurableService({ dataDir });
        try {
          const final = await expectWhole(last.url, run);
          expect(final).toMatchObject({ last_failure: 'INFRA' });
          return last.startedInMs;
        } finally {
          await last.stop();
        }
      },
      Math.ceil(rounds / 5),
    );
  },
  rounds * ROUND_LIMIT_MS,
);
