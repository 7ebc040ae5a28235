/**
 * Crons, runs for later and webhooks over kills: no time of a cron is lost or makes two runs, and each run is sent until
 * it is taken. Takes seconds because the service and its engine are real processes, which are killed; the rules by
 * themselves are shown beside `src/crons` and `src/webhooks`.
 * @module-tag release
 */
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call } from '../fixtures/call.ts';
import { startDurableService, whenHealthy } from '../fixtures/durable-service.ts';
import { serviceAgents } from '../fixtures/shared-service.ts';
import { waitUntil } from '../fixtures/wait-until.ts';
import { limitOf, playRounds, requireInterrupted, ROUND_LIMIT_MS } from './rounds.ts';
import { setStage } from './stage.ts';

const CRONS = 12;
/** In which the runs of all of them are made on a fast machine. */
const FIRING_MS = 400;
/** A next time is a year away, one that is due has passed. */
const SOON_MS = 1_000;

const stage = setStage({
  startService: (options) =>
    startDurableService({
      agents: serviceAgents,
      environment: { SERVICE_WEBHOOKS_ALLOW: '127.0.0.1' },
      ...options,
    }),
});

/** Of each run the ids of its webhooks, and all statuses. */
const sent = new Map<string, Set<string>>();
const statuses = new Set<string>();
let isTaking = false;
let server: Server;
let hook: string;
beforeAll(async () => {
  server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      response.writeHead(isTaking ? 204 : 503).end();
      if (!isTaking) return;
      const { run_id: runId, status } = JSON.parse(body) as { run_id: string; status: string };
      statuses.add(status);
      const ids = sent.get(runId) ?? new Set();
      sent.set(runId, ids.add(String(request.headers['webhook-id'])));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  hook = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`; // of a TCP server
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const ask = async <T>(method: string, path: string, body?: object): Promise<T> => {
  const { status, body: found } = await call(`${stage.url}/compat/langgraph${path}`, method, body);
  expect([path, status, status === 200 ? '' : found]).toEqual([path, 200, '']);
  return found as T; // LangGraph's own contract
};
interface Made {
  cron_id: string;
  run_id: string;
  thread_id: string;
  status: string;
}

/** As if their time had come while there was no service. */
function makeDue(): void {
  const db = new Database(join(stage.service.dataDir, 'crons.db'));
  db.prepare('update crons set next_at = ?').run(Date.now());
  db.close();
}

/** How many of them have their next time set, while there is no service. */
function advancedInFile(ids: readonly string[]): number {
  const db = new Database(join(stage.service.dataDir, 'crons.db'));
  const later = db.prepare('select cron_id from crons where next_at > ?');
  const found = later.pluck().all(Date.now() + SOON_MS) as string[]; // as the schema has it
  db.close();
  return found.filter((id) => ids.includes(id)).length;
}

/** The same, by the service. */
async function advanced(ids: readonly string[]): Promise<number> {
  const all = await ask<{ cron_id: string; next_run_date: string }[]>(
    'POST',
    '/runs/crons/search',
    {
      limit: 1_000,
    },
  );
  const soon = Date.now() + SOON_MS;
  const of = all.filter(({ cron_id: id }) => ids.includes(id));
  return of.filter(({ next_run_date: next }) => Date.parse(next) > soon).length;
}

test(
  'each time of a cron makes one run, which is sent until it is taken',
  async () => {
    await playRounds('crons, server killed', async ({ number, random }) => {
      isTaking = false;
      sent.clear();
      const input = { label: `round ${number}` };
      const body = { assistant_id: 'append_py', input, webhook: hook };
      const { thread_id: threadId } = await ask<Made>('POST', '/threads', {});
      const ids: string[] = [];
      for (let index = 0; index < CRONS; index += 1) {
        const path = index % 3 === 0 ? `/threads/${threadId}/runs/crons` : '/runs/crons';
        const kept = index % 3 === 1 ? { on_run_completed: 'keep' } : {};
        const cron = await ask<Made>('POST', path, { ...body, schedule: '0 0 1 1 *', ...kept });
        ids.push(cron.cron_id);
      }
      const later = await ask<Made>('POST', '/runs', { ...body, after_seconds: 1 });
      await stage.service.kill();
      makeDue();
      await stage.start();
      await pause(random() * FIRING_MS);
      await stage.service.kill();
      const made = advancedInFile(ids);
      const killedAt = performance.now();
      await whenHealthy((await stage.start()).url);
      const tookMs = performance.now() - killedAt;
      await waitUntil('all times to be made', ROUND_LIMIT_MS, async () => {
        return (await advanced(ids)) === CRONS;
      });
      // What was not taken before this kill is sent after it.
      await stage.service.kill();
      // Before its first try, behind which the next one would come much later.
      isTaking = true;
      await stage.start();
      await waitUntil('all runs to be sent', ROUND_LIMIT_MS, () => sent.size >= CRONS + 1);
      expect([...sent.values()].map(({ size }) => size)).toEqual(Array(CRONS + 1).fill(1));
      expect([sent.has(later.run_id), [...statuses]]).toEqual([true, ['success']]);
      const ofThread = await ask<Made[]>('GET', `/threads/${threadId}/runs?limit=100`);
      expect(ofThread).toHaveLength(CRONS / 3);
      const kept = ids.filter((_, index) => index % 3 === 1);
      for (const cron_id of kept) {
        const found = await ask<Made[]>('POST', '/threads/search', { metadata: { cron_id } });
        expect(found).toHaveLength(1);
      }
      for (const id of ids) await call(`${stage.url}/compat/langgraph/runs/crons/${id}`, 'DELETE');
      requireInterrupted(made < CRONS, 'all times were made');
      return tookMs;
    });
  },
  limitOf(),
);
