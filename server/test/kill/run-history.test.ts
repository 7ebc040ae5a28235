/**
 * What the run history shows after a kill is true: no run shows as another end than its thread's, what was lost is said
 * to be lost. Takes seconds because the service and its guests are real processes, which are killed.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { whenHealthy } from '../fixtures/durable-service.ts';
import { ledgerEntry, readLedger } from '../fixtures/ledger.ts';
import { call } from '../fixtures/call.ts';
import { getRun } from '../fixtures/service-client.ts';
import { waitUntil } from '../fixtures/wait-until.ts';
import { limitOf, playRounds, requireInterrupted } from './rounds.ts';
import { setStage } from './stage.ts';
import { expectQueueDone, expectWhole, isUnfinished, startQueue, startSteps } from './step-run.ts';

const TOTAL = 6;
const PAUSE_MS = 120;
const TRUE_LIMIT_MS = 30_000;

interface RecordedRun {
  run_id: string;
  status: string;
  attempts: number;
  is_incomplete: boolean;
}

interface Span {
  kind: string;
  name: string;
  status: string;
  attempt: number;
}

interface Trace {
  run: RecordedRun;
  spans: Span[];
}

const stage = setStage();

/** Undefined while there is no record: what ended in the last moments before a kill is found after the next start. */
async function traceOf(runId: string): Promise<Trace | undefined> {
  const { status, body } = await call(`${stage.url}/runs/${runId}/trace`);
  if (status === 404) return undefined;
  expect(status).toBe(200);
  return body as Trace; // the contract
}

/** Resolves when the record of a run agrees with its thread. */
async function untilTrue(runId: string): Promise<Trace> {
  const { status, attempt = 1 } = await getRun(stage.url, runId);
  let trace: Trace | undefined;
  const wait = waitUntil('a true record', TRUE_LIMIT_MS, async () => {
    trace = await traceOf(runId);
    return trace?.run.status === status && trace.run.attempts === attempt;
  });
  await wait.catch(() => undefined);
  if (trace?.run.status === status && trace.run.attempts === attempt) return trace;
  throw new Error(`Not ${status} after ${attempt} attempts: ${JSON.stringify(trace)}`);
}

test(
  'the record of a run whose server is killed has its attempts, and says what was lost',
  async () => {
    await playRounds('history, server killed', async ({ language, random }) => {
      const { folder } = stage;
      const options = { folder, language, total: TOTAL, pauseMs: PAUSE_MS } as const;
      const queue = await startQueue(stage.url, { folder, language, pauseMs: PAUSE_MS });
      const run = await startSteps(stage.url, { ...options, durability: 'sync' });
      const last = Math.floor(random() * (TOTAL - 1));
      await ledgerEntry(run.ledger, `step ${last}`, ({ step }) => step === last);
      await pause(random() * PAUSE_MS);
      await stage.service.kill();
      const killedAt = performance.now();
      const isCutOff = isUnfinished(run);
      const begun = readLedger(run.ledger).length;
      await whenHealthy((await stage.start()).url);
      const tookMs = performance.now() - killedAt;
      const { attempt = 1 } = await expectWhole(stage.url, run);
      await expectQueueDone(stage.url, queue);
      for (const runId of queue.runIds) await untilTrue(runId);
      const { run: recorded, spans } = await untilTrue(run.runId);
      // A kill during the last step may come after it.
      expect(isCutOff ? [2] : [1, 2]).toContain(attempt);
      requireInterrupted(attempt === 2, 'the run had ended');
      expect(recorded.is_incomplete).toBe(true);
      const attempts = spans.filter(({ kind }) => kind === 'attempt');
      // The first is missing when it began within the last moments before the kill.
      expect(['lost,completed', 'completed']).toContain(
        attempts.map(({ status }) => status).join(','),
      );
      // Nothing runs any more, and the last attempt is whole.
      expect(spans.filter(({ status }) => status === 'running')).toEqual([]);
      const steps = spans.filter((span) => span.kind === 'node' && span.attempt === 2);
      // Each step begins after the one before is saved.
      expect(steps.length).toBeGreaterThanOrEqual(TOTAL - begun);
      expect(new Set(steps.map(({ status }) => status))).toEqual(new Set(['completed']));
      return tookMs;
    });
  },
  limitOf(),
);
