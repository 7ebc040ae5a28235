import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call, type JsonAnswer } from '../fixtures/call.ts';
import { startDurableService, whenHealthy } from '../fixtures/durable-service.ts';
import { ledgerEntry, readLedger } from '../fixtures/ledger.ts';
import { createThread } from '../fixtures/service-client.ts';
import type { ServiceProcess } from '../fixtures/start-service.ts';

let folder = '';
let dataDir = '';
let service: ServiceProcess;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kill-keys-'));
  dataDir = await mkdtemp(join(tmpdir(), 'kill-keys-data-'));
  service = await startDurableService({ dataDir });
  await whenHealthy(service.url);
});

afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
  await rm(dataDir, { recursive: true });
});

const idOf = ({ body }: JsonAnswer): unknown => {
  const { run_id: run, thread_id: thread } = body as Record<string, unknown>;
  return run ?? thread;
};

test('what was created with a key is found by it after the server was killed', async () => {
  const threadId = await createThread(service.url);
  const ledger = join(folder, 'ledger');
  const run = {
    agent_id: 'append_py',
    durability: 'sync',
    input: { ledger, label: 'once', pause_ms: 1_500 },
  };
  const requests = [
    { path: '/threads', body: { metadata: { a: '1' } } },
    { path: '/threads', body: { thread_id: 'named', metadata: { a: '1' } } },
    { path: `/threads/${threadId}/copy`, body: {} },
    { path: `/threads/${threadId}/runs`, body: run },
    { path: '/runs', body: run },
  ].map((request, index) => ({ ...request, key: `key-${index}` }));
  const sendAll = (suffix: object = {}): Promise<JsonAnswer[]> =>
    Promise.all(
      requests.map(({ path, body, key }) =>
        call(service.url + path, 'POST', { ...body, ...suffix }, { 'Idempotency-Key': key }),
      ),
    );

  const first = await sendAll();
  expect(first.map(({ status }) => status)).toEqual([201, 201, 201, 202, 202]);
  await ledgerEntry(ledger, 'the runs under way', () => readLedger(ledger).length === 2);
  await service.kill();
  service = await startDurableService({ dataDir });
  await whenHealthy(service.url);

  const second = await sendAll();
  expect(second.map(({ status }) => status)).toEqual([201, 201, 201, 202, 202]);
  expect(second.map(idOf)).toEqual(first.map(idOf));
  const runIds = second.slice(3).map((answer) => String(idOf(answer)));
  for (const runId of runIds) {
    const { body } = await call(`${service.url}/runs/${runId}/wait?wait=60s`);
    expect(body).toMatchObject({ status: 'completed', output: { done: ['once'] } });
  }
  expect((await call(`${service.url}/threads/${threadId}/runs`)).body).toHaveLength(1);
  const others = await sendAll({ metadata: { another: 'body' } });
  expect(others.map(({ status, body }) => [status, (body as { code: string }).code])).toEqual(
    requests.map(() => [409, 'idempotency_conflict']),
  );
});
