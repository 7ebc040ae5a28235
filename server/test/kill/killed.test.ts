/**
 * The promise of the product: whatever is killed, the guest, the server or the engine, the run continues from its last
 * checkpoint. Takes seconds because the service, its engine and its guests are real processes, which are killed.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { whenHealthy } from '../fixtures/durable-service.ts';
import { ledgerEntry, readLedger } from '../fixtures/ledger.ts';
import { allGone, descendants, engineOf } from '../fixtures/process-tree.ts';
import { createThread, send } from '../fixtures/service-client.ts';
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

const TOTAL = 6;
const PAUSE_MS = 120;
/** What a killed server leaves behind ends by itself within this. */
const ORPHAN_LIMIT_MS = 30_000;
/** A run continues so soon after the restarted server is ready. */
const GOES_ON_LIMIT_MS = 5_000;
/** Longer than one call waits for the engine. */
const STOOD_STILL_MS = 20_000;

const stage = setStage();

test(
  'a run whose guest is killed continues from its last checkpoint as attempt 2, CRASH',
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
      process.kill(pid, 'SIGKILL'); // throws when there is no such process
      const killedAt = performance.now();
      const isCutOff = isUnfinished(run);
      if (isCutOff) {
        const isOtherGuest = (entry: { pid: number }): boolean => entry.pid !== pid;
        await ledgerEntry(run.ledger, 'another guest', isOtherGuest, ROUND_LIMIT_MS);
      }
      const resumedAfterMs = performance.now() - killedAt;
      const final = await expectWhole(stage.url, run);
      all.push(settled(run, final));
      const { attempt = 1, last_failure: lastFailure = 'none' } = final;
      // A kill during the last step may come after it.
      if (!isCutOff) requireInterrupted(attempt > 1, 'the run had ended');
      expect(`${attempt} ${lastFailure}`).toBe('2 CRASH');
      return resumedAfterMs;
    });
    await expectStillSettled(stage.url, all);
  },
  limitOf(),
);

test(
  'a run whose engine is killed finishes, its saves are retried, with at most one new attempt',
  async () => {
    const all: SettledRun[] = [];
    const play = async ({ language, random }: Round): Promise<number> => {
      const { folder } = stage;
      const durability = random() < 0.7 ? 'sync' : 'async';
      const options = { folder, language, total: TOTAL, pauseMs: PAUSE_MS, durability } as const;
      const queue = await startQueue(stage.url, { folder, language, pauseMs: 3 * PAUSE_MS });
      // Finding it takes a while, in which the run might end.
      const engine = engineOf(descendants(stage.service.pid));
      const run = await startSteps(stage.url, options);
      const last = Math.floor(random() * (TOTAL - 1));
      await ledgerEntry(run.ledger, `step ${last}`, ({ step }) => step === last);
      await pause(random() * PAUSE_MS);
      process.kill(engine.pid, 'SIGKILL');
      const killedAt = performance.now();
      const isCutOff = isUnfinished(run);
      await allGone([engine], ROUND_LIMIT_MS);
      await whenHealthy(stage.url);
      const servesAfter = performance.now() - killedAt;
      await expectQueueDone(stage.url, queue);
      const final = await expectWhole(stage.url, run);
      // Its server outlives the engine, so the attempt may: then nothing shows.
      const { attempt = 1, last_failure: lastFailure = 'none' } = final;
      expect(['1 none', '2 INFRA']).toContain(`${attempt} ${lastFailure}`);
      all.push(settled(run, final));
      requireInterrupted(isCutOff, 'the run had begun its last step');
      return servesAfter;
    };
    await playRounds('engine killed', play, { first: 'ts' });
    await expectStillSettled(stage.url, all);
  },
  limitOf(),
);

/** Runs in both languages, the first of which determines when to kill. */
function startRuns({ language, random }: Round): Promise<StepRun[]> {
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

/** While some step is running, or just after the runs were accepted. */
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

/** The runs that are not settled in the data directory: who has noted each of them (`RunJournal`). */
function notedRuns(): Map<string, string> {
  const folder = join(stage.service.dataDir, 'active-runs');
  return new Map(
    readdirSync(folder).map((name) => {
      const [threadId, process = ''] = readFileSync(join(folder, name), 'utf8').split('\n');
      return [`${threadId}_${name.slice(0, 36)}`, process];
    }),
  );
}

test(
  'the runs of a killed server continue at its restart and finish, and nothing is left of it',
  async () => {
    const all: SettledRun[] = [];
    const play = async (round: Round): Promise<number> => {
      const { language, random } = round;
      const { folder } = stage;
      const queue = await startQueue(stage.url, { folder, language, pauseMs: 3 * PAUSE_MS });
      const runs = await startRuns(round);
      await untilSomeMoment(runs, round);
      const gone = await killServer(random() < 0.5);
      const cutOff = runs.filter(isUnfinished);
      const begun = new Set(runs.filter(({ ledger }) => readLedger(ledger).length > 0));
      const guests = new Set(
        runs.flatMap(({ ledger }) => readLedger(ledger).map(({ pid }) => pid)),
      );
      const before = notedRuns();
      await stage.start();
      const readyAt = performance.now();
      expect([...before.keys()]).toEqual(expect.arrayContaining(cutOff.map(({ runId }) => runId)));
      // What the one before was at work on was looked at, and not left to the engine's patience.
      const dead = new Set(before.values());
      expect([...notedRuns().values()].filter((process) => dead.has(process))).toEqual([]);
      const isNew = ({ pid }: { pid: number }): boolean => !guests.has(pid);
      await Promise.all(
        cutOff.map(({ ledger }) => ledgerEntry(ledger, 'a new guest', isNew, ROUND_LIMIT_MS)),
      );
      const resumedAfterMs = performance.now() - readyAt;
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
      await whenHealthy(stage.url);
      requireInterrupted(cutOff.length > 0, 'every run had begun its last step');
      return resumedAfterMs;
    };
    await playRounds('server killed', play, { p50LimitMs: GOES_ON_LIMIT_MS });
    await expectStillSettled(stage.url, all);
  },
  limitOf(),
);

test(
  'a request that waits for a run waits for an engine that is stopped, too',
  { tags: 'release' },
  async () => {
    const threadId = await createThread(stage.url);
    const ledger = join(stage.folder, 'stopped');
    const body = { agent_id: 'steps_py', input: { ledger, total: 3, pause_ms: 1_000 } };
    const waited = send(stage.url, 'POST', `/threads/${threadId}/runs?wait=60s`, body);
    let isAnswered = false;
    void waited.catch(() => undefined).then(() => (isAnswered = true));
    await ledgerEntry(ledger, 'a step', () => true);
    const engine = engineOf(descendants(stage.service.pid));
    process.kill(engine.pid, 'SIGSTOP');
    try {
      // Nothing is waited for without end: each of these responds that the engine is unavailable.
      const { url } = stage;
      const thread = `/threads/${threadId}`;
      await Promise.all([
        send(url, 'POST', '/threads', {}, [503]),
        send(url, 'GET', thread, undefined, [503]),
        send(url, 'DELETE', thread, undefined, [503]),
        send(url, 'POST', '/threads/search', {}, [503]),
        send(url, 'POST', '/runs', { agent_id: 'steps_py', input: {} }, [503]),
        pause(STOOD_STILL_MS),
      ]);
      expect(isAnswered).toBe(false);
    } finally {
      process.kill(engine.pid, 'SIGCONT');
    }
    await expect(waited).resolves.toMatchObject({
      status: 'completed',
      output: { done: [0, 1, 2] },
    });
  },
);
