import { join } from 'node:path';
import { expect, test } from 'vitest';
import { call, type JsonAnswer } from '../fixtures/call.ts';
import { whenHealthy } from '../fixtures/durable-service.ts';
import { ledgerEntry, readLedger } from '../fixtures/ledger.ts';
import { createThread } from '../fixtures/service-client.ts';
import { setStage } from './stage.ts';

const stage = setStage();

const idOf = ({ body }: JsonAnswer): unknown => {
  const { run_id: run, thread_id: thread } = body as Record<string, unknown>;
  return run ?? thread;
};

test('what was created with a key is found by it after the server was killed', async () => {
  const threadId = await createThread(stage.url);
  const ledger = join(stage.folder, 'ledger');
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
  const runIds = second.slice(3).map((answer) => String(idOf(answer)));
  for (const runId of runIds) {
    const { body } = await call(`${stage.url}/runs/${runId}/wait?wait=60s`);
    expect(body).toMatchObject({ status: 'completed', output: { done: ['once'] } });
  }
  expect((await call(`${stage.url}/threads/${threadId}/runs`)).body).toHaveLength(1);
  const others = await sendAll({ metadata: { another: 'body' } });
  expect(others.map(({ status, body }) => [status, (body as { code: string }).code])).toEqual(
    requests.map(() => [409, 'idempotency_conflict']),
  );
});
