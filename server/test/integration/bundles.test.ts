/** Threads leave a running service in a file, and enter it, over HTTP. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readBundleFile } from '../../src/bundle/read-bundle.ts';
import { call } from '../fixtures/call.ts';
import { whenHealthy } from '../fixtures/durable-service.ts';
import { createRun, createThread, send, type RunAnswer } from '../fixtures/service-client.ts';
import { startService, type ServiceProcess } from '../fixtures/start-service.ts';
import { waitUntil } from '../fixtures/wait-until.ts';
import { aFailure } from '../fixtures/wire-patterns.ts';

const agents = fileURLToPath(new URL('../fixtures/cli-agents', import.meta.url));
const nap = { agent_id: 'nap', input: { ms: 1 } };

let service: ServiceProcess;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bundles-test-'));
  service = await startService({ agents });
  await whenHealthy(service.url);
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

async function download(path: string): Promise<Buffer> {
  const answer = await fetch(service.url + path);
  if (answer.status !== 200) throw new Error(await answer.text());
  return Buffer.from(await answer.arrayBuffer());
}

async function upload(
  path: string,
  file: Uint8Array<ArrayBuffer>,
): Promise<{ status: number; body: unknown }> {
  const headers = { 'Content-Type': 'application/gzip' };
  const answer = await fetch(service.url + path, { method: 'POST', headers, body: file });
  return { status: answer.status, body: await answer.json() };
}

/** How many records of each kind a whole bundle has. */
async function kindsOf(bundle: Buffer): Promise<Record<string, number>> {
  const file = join(folder, 'read.jsonl.gz');
  await writeFile(file, bundle);
  const kinds: Record<string, number> = {};
  for await (const item of readBundleFile(file)) {
    const kind = item.kind === 'record' ? item.record.kind : item.header.contents;
    kinds[kind] = (kinds[kind] ?? 0) + 1;
  }
  return kinds;
}

async function threadWithRun(): Promise<{ threadId: string; run: RunAnswer }> {
  const threadId = await createThread(service.url);
  const path = `/threads/${threadId}/runs?wait=30s`;
  const run = await send<RunAnswer>(service.url, 'POST', path, nap);
  await send(service.url, 'PATCH', `/threads/${threadId}`, { metadata: { moved: threadId } });
  return { threadId, run };
}

it('brings a thread back as it was, under its own id once it is free, and it runs on', async () => {
  const { threadId, run } = await threadWithRun();
  const before = await send(service.url, 'GET', `/threads/${threadId}`);
  const bundle = await download(`/threads/${threadId}/bundle`);
  expect(await kindsOf(bundle)).toMatchObject({ threads: 1, thread: 1, run: 1, checkpoint: 1 });
  expect(await upload('/bundles', Buffer.from(bundle))).toEqual({
    status: 409,
    body: aFailure('thread_exists'),
  });
  await send(service.url, 'DELETE', `/threads/${threadId}`);
  expect(await upload('/bundles', Buffer.from(bundle))).toMatchObject({
    status: 201,
    body: {
      thread_id: threadId,
      status: 'idle',
      imported: { runs: 1, checkpoints: 1, resumed_runs: 0 },
    },
  });
  expect(await send(service.url, 'GET', `/threads/${threadId}`)).toEqual(before);
  expect(await send(service.url, 'GET', `/runs/${run.run_id}`)).toMatchObject({
    status: 'completed',
    output: { slept: true },
  });
  const next = await send(service.url, 'POST', `/threads/${threadId}/runs?wait=30s`, nap);
  expect(next).toMatchObject({ status: 'completed' });
});

it('makes a second thread under another id, which a search finds by its metadata', async () => {
  const { threadId } = await threadWithRun();
  const bundle = await download(`/threads/${threadId}/bundle`);
  const as = `${threadId}-2`;
  const answer = await upload(`/bundles?thread_id=${as}`, Buffer.from(bundle));
  expect(answer).toMatchObject({ status: 201, body: { thread_id: as } });
  const search = { metadata: { moved: threadId }, run_status: 'completed', agent_id: 'nap' };
  await waitUntil('both to be found', 20_000, async () => {
    const rows = await send<unknown[]>(service.url, 'POST', '/threads/search', search);
    return rows.length === 2;
  });
});

it('gives a run with its events and its output', async () => {
  const { threadId, run } = await threadWithRun();
  const bundle = await download(`/threads/${threadId}/bundle?run_id=${run.run_id}`);
  const kinds = await kindsOf(bundle);
  expect(kinds).toMatchObject({ run: 2, agent: 1, log: 1 });
  expect(kinds['event']).toBeGreaterThan(0);
  // Read as a thread, it is one.
  const answer = await upload(`/bundles?thread_id=${threadId}-run`, Buffer.from(bundle));
  expect(answer.status).toBe(201);
});

it('refuses what is cut off, damaged or no bundle, and takes nothing of it', async () => {
  const { threadId } = await threadWithRun();
  const bundle = await download(`/threads/${threadId}/bundle`);
  const text = gunzipSync(bundle).toString();
  const target = `${threadId}-bad`;
  for (const [file, sentence] of [
    [bundle.subarray(0, bundle.length - 20), /^The bundle is cut off/],
    [gzipSync(text.replace('"slept"', '"awake"')), /checksum/],
    [gzipSync('no bundle'), /^The bundle is (cut off|no bundle)/],
    [Buffer.from('no gzip'), /^The bundle is no bundle/],
  ] as const) {
    const answer = await upload(`/bundles?thread_id=${target}`, Buffer.from(file));
    expect([answer.status, answer.body]).toEqual([400, aFailure('bundle_invalid')]);
    expect(answer.body).toMatchObject({ message: expect.stringMatching(sentence) });
  }
  expect((await call(`${service.url}/threads/${target}`)).status).toBe(404);
});

it('goes on with a run that was going on, once its thread is gone', async () => {
  const run = await createRun(service.url, { agent_id: 'nap', input: { ms: 60_000 } });
  await waitUntil('the run to be saved', 10_000, async () => {
    const history = await send<unknown[]>(service.url, 'GET', `/threads/${run.thread_id}/history`);
    return history.length > 0;
  });
  const bundle = await download(`/threads/${run.thread_id}/bundle`);
  await send(service.url, 'DELETE', `/threads/${run.thread_id}`);
  expect(await upload('/bundles', Buffer.from(bundle))).toMatchObject({
    status: 201,
    body: { status: 'busy', imported: { resumed_runs: 1 } },
  });
  const seen = await send<RunAnswer>(service.url, 'GET', `/runs/${run.run_id}`);
  expect(seen).toMatchObject({ status: 'running', last_failure: 'INFRA' });
  await send(service.url, 'POST', `/runs/${run.run_id}/cancel`);
  await send(service.url, 'DELETE', `/threads/${run.thread_id}`);
});
