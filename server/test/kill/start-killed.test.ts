/** @module-tag release */
/** Takes seconds because whole servers are started, and killed before they listen. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { durableAgents, startDurableService, testPython } from '../fixtures/durable-service.ts';
import { ledgerEntry } from '../fixtures/ledger.ts';
import { allGone, descendants } from '../fixtures/process-tree.ts';
import { spawnService } from '../fixtures/start-service.ts';
import { waitUntil } from '../fixtures/wait-until.ts';
import {
  requireInterrupted,
  limitOf,
  playRounds,
  ROUND_LIMIT_MS,
  rounds,
  type Round,
} from './rounds.ts';
import { expectWhole, isUnfinished, startSteps } from './step-run.ts';

const ORPHAN_LIMIT_MS = 30_000;
/** Before any output; later than its Node process starts. */
const EARLY_MS = 600;
/** Between one moment and the next. */
const A_WHILE_MS = 150;

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

interface Starting {
  pid: number;
  output(): string;
}

type Moment = (round: Round, starting: Starting) => Promise<unknown>;

/** How far a start is when it is killed. */
const moments: Record<string, Moment> = {
  early: ({ random }) => pause(random() * EARLY_MS),
  'the engine starts': (_, { pid }) =>
    waitUntil('the process of the engine', ROUND_LIMIT_MS, () =>
      descendants(pid).some(({ command }) => command.includes('start-dev')),
    ),
  'the engine serves': (_, { output }) =>
    waitUntil('an engine that serves', ROUND_LIMIT_MS, () => output().includes('engine ready')),
};

/** Starts a server and kills it while it starts, with nothing left of it; returns whether it was still starting. */
async function killStart(round: Round, reached: Moment): Promise<boolean> {
  const flags = ['--interpreter', testPython(), '--data-dir', dataDir, '--api-addr', '127.0.0.1:0'];
  const child = spawnService(durableAgents, flags);
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (bytes: Buffer) => (text += bytes.toString()));
  }
  const ended = new Promise((resolve) => child.once('close', resolve));
  const pid = child.pid ?? 0;
  await reached(round, { pid, output: () => text });
  await pause(round.random() * A_WHILE_MS);
  const left = descendants(pid);
  expect([child.exitCode, text]).toEqual([null, text]);
  child.kill('SIGKILL');
  await ended;
  await allGone(left, ORPHAN_LIMIT_MS);
  return !text.includes('Listening on');
}

test(
  'a server that is killed while it starts leaves nothing behind, and the next one continues its runs',
  async () => {
    const play = async (round: Round): Promise<number> => {
      const { language } = round;
      const first = await startDurableService({ dataDir });
      const options = { folder, language, total: 6, pauseMs: 300, durability: 'sync' } as const;
      const run = await startSteps(first.url, options);
      await ledgerEntry(run.ledger, 'a step', ({ step }) => step === 1);
      await first.kill();
      expect(isUnfinished(run)).toBe(true);
      const wereStarting: boolean[] = [];
      for (const moment of Object.values(moments)) {
        wereStarting.push(await killStart(round, moment));
      }
      const last = await startDurableService({ dataDir });
      try {
        const final = await expectWhole(last.url, run);
        expect(final).toMatchObject({ last_failure: 'INFRA' });
        requireInterrupted(!wereStarting.includes(false), 'a start was over');
        return last.startedInMs;
      } finally {
        await last.stop();
      }
    };
    await playRounds('killed while starting', play, { count: Math.ceil(rounds / 5), first: 'ts' });
  },
  limitOf(),
);
