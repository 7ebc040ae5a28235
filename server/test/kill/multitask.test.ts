/** Decisions, "second run while one is active": what a strategy has begun is finished after a kill, once. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { call } from '../fixtures/call.ts';
import { whenHealthy } from '../fixtures/durable-service.ts';
import { ledgerEntry } from '../fixtures/ledger.ts';
import { awaitRun, createRun, createThread } from '../fixtures/service-client.ts';
import { playRounds, ROUND_LIMIT_MS, type Round } from './rounds.ts';
import { setStage } from './stage.ts';

/** A kill comes before, while or after the thread hears of the new run. */
const KILLED_WITHIN_MS = 400;
const BLOCK_MS = 120_000;

const stage = setStage();

async function play(strategy: 'interrupt' | 'rollback', round: Round): Promise<number> {
  const ledger = join(stage.folder, randomUUID());
  const append = (label: string, pause_ms: number): Record<string, unknown> => {
    return { agent_id: `append_${round.language}`, input: { ledger, label, pause_ms } };
  };
  const threadId = await createThread(stage.url);
  const before = await createRun(stage.url, append('before', 0), threadId);
  await awaitRun(stage.url, before.run_id, ROUND_LIMIT_MS);
  const active = await createRun(stage.url, append('active', BLOCK_MS), threadId);
  const queued = await createRun(stage.url, append('queued', 0), threadId);
  await ledgerEntry(ledger, 'the active run', ({ label }) => label === 'active');

  const key = { 'Idempotency-Key': randomUUID() };
  const body = { ...append('after', 0), multitask_strategy: strategy };
  const send = () => call(`${stage.url}/threads/${threadId}/runs`, 'POST', body, key);
  const first = send().catch(() => undefined); // the kill may cut it off
  await pause(round.random() * KILLED_WITHIN_MS);
  await stage.service.kill();
  const killed = performance.now();
  const known = (await first)?.body;
  await whenHealthy((await stage.start()).url);

  const { status, body: run } = await send();
  expect(status).toBe(202);
  const { run_id: runId } = run as { run_id: string };
  expect(known ?? run).toMatchObject({ run_id: runId });
  expect(await awaitRun(stage.url, runId, ROUND_LIMIT_MS)).toMatchObject({
    status: 'completed',
    output: { done: ['before', 'after'] },
  });
  const tookMs = performance.now() - killed;

  const { body: runs } = await call(`${stage.url}/threads/${threadId}/runs`);
  const left = new Map(
    (runs as { run_id: string; status: string }[]).map((one) => [one.run_id, one.status]),
  );
  const stopped = strategy === 'rollback' ? [] : [active, queued];
  expect(left).toEqual(
    new Map([
      [runId, 'completed'],
      ...stopped.map((one): [string, string] => [one.run_id, 'cancelled']),
      [before.run_id, 'completed'],
    ]),
  );
  return tookMs;
}

test.each(['interrupt', 'rollback'] as const)(
  '%s is carried out once when the server is killed around it',
  async (strategy) => {
    const played = playRounds(`kill around ${strategy}`, (round) => play(strategy, round));
    await expect(played).resolves.toBeUndefined();
  },
);
