/** Payloads outside of the engine. A separate service, because the storage is a setting. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call } from '../fixtures/call.ts';
import { startDurableService, whenHealthy } from '../fixtures/durable-service.ts';
import { readCounters } from '../fixtures/limits-service.ts';
import { awaitRun, createRun, createThread, send } from '../fixtures/service-client.ts';
import { releaseUnless } from '../fixtures/shared-service.ts';
import type { ServiceProcess } from '../fixtures/start-service.ts';
import { waitUntil } from '../fixtures/wait-until.ts';

const MIB = 1_024 * 1_024;
/** What is dropped lingers for reads that began before. */
const COLLECT_LIMIT_MS = 40_000;

/** 20 MiB go some ten times through a machine that may be busy. */
const HEAVY_LIMIT_MS = 240_000;

const environment = {
  SERVICE_ENGINE_EXTERNAL_STORAGE_TYPE: 'directory',
  SERVICE_ENGINE_MAX_CHECKPOINT_BYTES: '24MiB',
};

let folder = '';
let payloads = '';
let service: ServiceProcess;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'external-storage-'));
  service = await startDurableService({ environment });
  payloads = join(service.dataDir, 'payloads', 'threads');
  await whenHealthy(service.url);
});

afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

/** The objects of a thread; none once its folder has gone. */
async function objects(threadId: string): Promise<string[]> {
  const names = await readdir(join(payloads, threadId)).catch(() => []);
  return names.map((name) => join(payloads, threadId, name));
}

function bulk(language: string, changes: Record<string, unknown> = {}): Record<string, unknown> {
  const ledger = join(folder, 'ledger');
  return {
    agent_id: `bulk_${language}`,
    input: { ledger, label: language, total: 2, ...changes },
  };
}

interface State {
  values: { bulk?: string; done?: number[] };
}

describe.each([
  // More than the engine takes in one payload, and than gRPC takes in one message.
  { language: 'py', mib: 6 },
  { language: 'ts', mib: 20 },
  { language: 'py', mib: 20 },
])('$language, $mib MiB', ({ language, mib }) => {
  const size = mib * MIB;

  test(
    'a large state is run, read, listed and deleted, and nothing is left of it',
    { ...releaseUnless(mib === 6), timeout: HEAVY_LIMIT_MS },
    async () => {
      const threadId = await createThread(service.url);
      const run = await createRun(service.url, bulk(language, { size }), threadId);
      const final = await awaitRun(service.url, run.run_id);
      expect([final.status, final.error]).toEqual(['completed', undefined]);
      const state = await send<State>(service.url, 'GET', `/threads/${threadId}/state`);
      expect([state.values.bulk?.length, state.values.done]).toEqual([size, [0, 1]]);
      const history = await send<State[]>(service.url, 'GET', `/threads/${threadId}/history`);
      expect(history.map(({ values }) => values.bulk?.length)).toEqual([size]);
      const copy = await send<{ thread_id: string }>(
        service.url,
        'POST',
        `/threads/${threadId}/copy`,
        {},
      );
      expect(await objects(threadId)).not.toEqual([]);
      await send(service.url, 'DELETE', `/threads/${threadId}`);
      expect(await objects(threadId)).toEqual([]);
      const copied = await send<State>(service.url, 'GET', `/threads/${copy.thread_id}/state`);
      expect([copied.values.bulk?.length, copied.values.done]).toEqual([size, [0, 1]]);
      await send(service.url, 'DELETE', `/threads/${copy.thread_id}`);
      expect(await objects(copy.thread_id)).toEqual([]);
    },
  );
});

test(
  'what a run has dropped goes, once no read that began before needs it',
  { tags: 'release' },
  async () => {
    const threadId = await createThread(service.url);
    const body = { ...bulk('ts', { size: MIB, total: 4 }), durability: 'sync' };
    const run = await createRun(service.url, body, threadId);
    expect(await awaitRun(service.url, run.run_id)).toMatchObject({ status: 'completed' });
    await waitUntil('only the head is left', COLLECT_LIMIT_MS, async () => {
      // Value and projection of the bulk, and the output of the run, of which one is the projection of all.
      return (await objects(threadId)).length <= 3;
    });
    expect(await objects(threadId)).not.toEqual([]);
    await send(service.url, 'DELETE', `/threads/${threadId}`);
  },
);

test('a large input goes to the storage, and is deleted when its run has ended', async () => {
  const COUNTER = 'service_checkpoint_storage_payload_bytes_sum';
  const before = await readCounters(service.url, COUNTER);
  const threadId = await createThread(service.url);
  // Nothing makes it smaller.
  const input = { ledger: join(folder, 'ledger'), label: randomBytes(MIB).toString('base64') };
  const run = await createRun(service.url, { agent_id: 'append_ts', input }, threadId);
  expect(await awaitRun(service.url, run.run_id)).toMatchObject({ status: 'completed' });
  const after = await readCounters(service.url, COUNTER);
  for (const tag of ['operation="put"', 'operation="get"']) {
    expect((after[tag] ?? 0) - (before[tag] ?? 0)).toBeGreaterThan(MIB);
  }
  await send(service.url, 'DELETE', `/threads/${threadId}`);
  expect(await objects(threadId)).toEqual([]);
});

test('a damaged payload is named, everything else stays readable, and a run that needs it reports so', async () => {
  const threadId = await createThread(service.url);
  // Too large for the service to keep the head and the output in memory once the run has written them.
  const body = bulk('ts', { size: 300_000 });
  const run = await createRun(service.url, body, threadId);
  // It ends before the one that follows. A request for it after its end would have its output opened, and what was
  // opened is remembered.
  const follower = await createRun(service.url, body, threadId);
  expect((await awaitRun(service.url, follower.run_id)).status).toBe('completed');
  for (const file of await objects(threadId)) await writeFile(file, 'damaged');
  const message = expect.stringMatching(
    /Channel "bulk" of checkpoint \S+ in the root namespace cannot be read: The blob [0-9a-f]{64} is/,
  ) as string;
  const state = await call(`${service.url}/threads/${threadId}/state`);
  expect(state).toMatchObject({ status: 410, body: { code: 'checkpoint_damaged', message } });
  const history = await call(`${service.url}/threads/${threadId}/history`);
  expect(history).toMatchObject({
    status: 200,
    body: [
      { values: { done: [0, 1, 2] }, error: { code: 'checkpoint_damaged', message } },
      { values: { done: [0, 1] } },
    ],
  });
  const report = await call(`${service.url}/runs/${run.run_id}`);
  expect(report).toMatchObject({
    status: 200,
    body: { status: 'completed', error: { code: 'checkpoint_damaged' } },
  });
  const next = await createRun(service.url, { agent_id: 'bulk_ts', input: null }, threadId);
  expect(await awaitRun(service.url, next.run_id)).toMatchObject({
    status: 'error',
    error: { code: 'checkpoint_damaged', message },
  });
  await send(service.url, 'DELETE', `/threads/${threadId}`);
  expect(await objects(threadId)).toEqual([]);
});
