/** @module-tag release */
/**
 * Requests that meet a kill: what was accepted exists, once, and what a strategy has begun is finished, once.
 * Takes seconds because the service and its engine are real processes, which are killed.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { call, type JsonResponse } from '../fixtures/call.ts';
import { whenHealthy } from '../fixtures/durable-service.ts';
import { ledgerEntry, readLedger } from '../fixtures/ledger.ts';
import { allGone, descendants, engineOf } from '../fixtures/process-tree.ts';
import { awaitRun, createRun, createThread, listRuns } from '../fixtures/service-client.ts';
import { waitUntil } from '../fixtures/wait-until.ts';
import {
  limitOf,
  playRounds,
  requireInterrupted,
  ROUND_LIMIT_MS,
  rounds,
  type Round,
} from './rounds.ts';
import { setStage } from './stage.ts';

/** Clients that continue creating until the engine has been down. */
const CLIENTS = 4;
/** The kill comes after up to so many accepted runs. */
const MOST_BEFORE = 24;
/** A kill comes before, while or after the thread is notified of the new run; not after the end of that one. */
const KILLED_WITHIN_MS = 200;
const BLOCK_MS = 120_000;

const stage = setStage();

interface Client {
  statuses: Set<number>;
  /** Accepted runs, each with what it appends. */
  accepted: { runId: string; threadId: string; label: string }[];
  /** Whether a request of it is on its way. */
  isAsking: boolean;
}

/** Creates a thread and a run on it, one after the other, until it is stopped. */
async function createOnAndOn(
  client: Client,
  isStateless: boolean,
  isOver: () => boolean,
): Promise<void> {
  const post = async (path: string, body: unknown): Promise<Record<string, string>> => {
    client.isAsking = true;
    const response = await call(stage.url + path, 'POST', body);
    client.isAsking = false;
    client.statuses.add(response.status);
    return response.status < 300 ? (response.body as Record<string, string>) : {}; // ids are texts
  };
  while (!isOver()) {
    const label = randomUUID();
    const body = { agent_id: 'append_ts', input: { ledger: join(stage.folder, label), label } };
    const { thread_id: threadId } = isStateless ? {} : await post('/threads', {});
    if (!isStateless && threadId === undefined) continue;
    const run = await post(isStateless ? '/runs' : `/threads/${threadId}/runs`, body);
    const { run_id: runId, thread_id: createdIn } = run;
    if (runId !== undefined && createdIn !== undefined) {
      client.accepted.push({ runId, threadId: createdIn, label });
    }
  }
}

test(
  'what is accepted while the engine is killed exists, once, and no thread exists already',
  async () => {
    const play = async ({ random }: Round): Promise<number> => {
      let isOver = false;
      const clients = Array.from({ length: CLIENTS }, (): Client => ({
        statuses: new Set(),
        accepted: [],
        isAsking: false,
      }));
      const asking = Promise.all(
        clients.map((client, index) => createOnAndOn(client, index % 2 === 1, () => isOver)),
      );
      const acceptedEach = (): number[] => clients.map(({ accepted }) => accepted.length);
      const before = CLIENTS + Math.floor(random() * MOST_BEFORE);
      await waitUntil('accepted runs of every client', ROUND_LIMIT_MS, () => {
        const each = acceptedEach();
        return !each.includes(0) && each.reduce((sum, count) => sum + count) >= before;
      });
      const engine = engineOf(descendants(stage.service.pid));
      expect(clients.filter(({ isAsking }) => isAsking)).not.toEqual([]);
      process.kill(engine.pid, 'SIGKILL');
      const killedAt = performance.now();
      await allGone([engine], ROUND_LIMIT_MS);
      const until = acceptedEach();
      await waitUntil('another accepted run of every client', ROUND_LIMIT_MS, () =>
        acceptedEach().every((count, index) => count > (until[index] ?? 0)),
      );
      const acceptedAfter = performance.now() - killedAt;
      isOver = true;
      await asking;
      const statuses = new Set(clients.flatMap((client) => [...client.statuses]));
      // 503 only when the engine is down for longer than a call waits.
      expect([...statuses].filter((status) => ![201, 202, 503].includes(status))).toEqual([]);
      for (const { runId, threadId, label } of clients.flatMap(({ accepted }) => accepted)) {
        const final = await awaitRun(stage.url, runId, ROUND_LIMIT_MS);
        expect(final).toMatchObject({ status: 'completed', output: { done: [label] } });
        expect(await listRuns(stage.url, threadId)).toEqual([final]);
      }
      return acceptedAfter;
    };
    await playRounds('created while the engine is killed', play, { count: Math.ceil(rounds / 2) });
  },
  limitOf(),
);

const idOf = ({ body }: JsonResponse): unknown => {
  const { run_id: run, thread_id: thread } = body as Record<string, unknown>;
  return run ?? thread;
};

test('what was created with a key is found by it after the server was killed', async () => {
  const threadId = await createThread(stage.url);
  const ledger = join(stage.folder, 'ledger');
  const run = {
    agent_id: 'append_py',
    durability: 'sync',
    input: { ledger, label: 'once', pause_ms: 3_000 },
  };
  const requests = [
    { path: '/threads', body: { metadata: { a: '1' } } },
    { path: '/threads', body: { thread_id: 'named', metadata: { a: '1' } } },
    { path: `/threads/${threadId}/copy`, body: {} },
    { path: `/threads/${threadId}/runs`, body: run },
    { path: '/runs', body: run },
  ].map((request, index) => ({ ...request, key: `key-${index}` }));
  const sendAll = (suffix: object = {}): Promise<JsonResponse[]> =>
    Promise.all(
      requests.map(({ path, body, key }) =>
        call(stage.url + path, 'POST', { ...body, ...suffix }, { 'Idempotency-Key': key }),
      ),
    );

  const first = await sendAll();
  expect(first.map(({ status }) => status)).toEqual([201, 201, 201, 202, 202]);
  await ledgerEntry(ledger, 'the runs under way', () => readLedger(ledger).length === 2);
  await stage.service.kill();
  await whenHealthy((await stage.start()).url);

  const second = await sendAll();
  expect(second.map(({ status }) => status)).toEqual([201, 201, 201, 202, 202]);
  expect(second.map(idOf)).toEqual(first.map(idOf));
  const runIds = second.slice(3).map((response) => String(idOf(response)));
  for (const runId of runIds) {
    const { body } = await call(`${stage.url}/runs/${runId}/wait?wait=60s`);
    expect(body).toMatchObject({ status: 'completed', output: { done: ['once'] } });
  }
  // At least one of the two was at work at the kill, and started again.
  expect(readLedger(ledger).length).toBeGreaterThan(2);
  expect((await call(`${stage.url}/threads/${threadId}/runs`)).body).toHaveLength(1);
  const others = await sendAll({ metadata: { another: 'body' } });
  expect(others.map(({ status, body }) => [status, (body as { code: string }).code])).toEqual(
    requests.map(() => [409, 'idempotency_conflict']),
  );
});

/** Decisions, "second run while one is active". A kill that came too late narrows the spread of those to come. */
async function playStrategy(
  strategy: 'interrupt' | 'rollback',
  round: Round,
  spread: { ms: number },
): Promise<number> {
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
  const sendRun = () => call(`${stage.url}/threads/${threadId}/runs`, 'POST', body, key);
  const first = sendRun().catch(() => undefined); // the kill may cut it off
  const pauseMs = round.random() * spread.ms;
  // The first round comes just after the response, the others at any moment.
  if (round.number === 1) await first;
  else await pause(pauseMs);
  await stage.service.kill();
  const killed = performance.now();
  const killedAt = Date.now();
  const known = (await first)?.body;
  await whenHealthy((await stage.start()).url);

  const { status, body: run } = await sendRun();
  expect(status).toBe(202);
  const { run_id: runId } = run as { run_id: string };
  expect(known ?? run).toMatchObject({ run_id: runId });
  const final = await awaitRun(stage.url, runId, ROUND_LIMIT_MS);
  expect(final).toMatchObject({ status: 'completed', output: { done: ['before', 'after'] } });
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
  const leftMs = Date.parse(String(final['updated_at'])) - killedAt;
  // So long it took, and takes again.
  if (leftMs <= 0 && round.number > 1) spread.ms = Math.max(1, pauseMs + leftMs);
  requireInterrupted(leftMs > 0, 'the new run had ended');
  return tookMs;
}

test.each([
  ['interrupt', 'py'],
  ['rollback', 'ts'],
] as const)(
  '%s is carried out once when the server is killed around it',
  async (strategy, first) => {
    const spread = { ms: KILLED_WITHIN_MS };
    const play = (round: Round): Promise<number> => playStrategy(strategy, round, spread);
    const played = playRounds(`kill around ${strategy}`, play, { first });
    await expect(played).resolves.toBeUndefined();
  },
  limitOf(),
);
