/** Threads leave a running service in a file, and enter it, over HTTP. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readBundleFile } from '../../src/bundle/read-bundle.ts';
import { call } from '../fixtures/call.ts';
import { packedBundle, threadLines, type ForgedLine } from '../fixtures/forged-bundle.ts';
import {
  awaitRun,
  getRun,
  createRun,
  createThread,
  send,
  type RunResponse,
} from '../fixtures/service-client.ts';
import { sharedService } from '../fixtures/shared-service.ts';
import { waitUntil } from '../fixtures/wait-until.ts';
import { aFailure } from '../fixtures/wire-patterns.ts';

const url = sharedService();
const append = (label: string, until?: string): Record<string, unknown> => {
  return { agent_id: 'append_ts', input: { label, ...(until !== undefined && { until }) } };
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bundles-test-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function download(path: string): Promise<Buffer> {
  const response = await fetch(url + path);
  if (response.status !== 200) throw new Error(await response.text());
  return Buffer.from(await response.arrayBuffer());
}

async function upload(
  path: string,
  file: Uint8Array<ArrayBuffer>,
): Promise<{ status: number; body: unknown }> {
  const headers = { 'Content-Type': 'application/gzip' };
  const response = await fetch(url + path, { method: 'POST', headers, body: file });
  return { status: response.status, body: await response.json() };
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

async function threadWithRun(): Promise<{ threadId: string; run: RunResponse }> {
  const threadId = await createThread(url);
  const { run_id: runId } = await createRun(url, append('first'), threadId);
  const run = await awaitRun(url, runId);
  await send(url, 'PATCH', `/threads/${threadId}`, { metadata: { moved: threadId } });
  return { threadId, run };
}

it('brings a thread back as it was, under its own id once it is free, and it runs on', async () => {
  const { threadId, run } = await threadWithRun();
  const before = await send<Record<string, unknown>>(url, 'GET', `/threads/${threadId}`);
  const history = await send<unknown[]>(url, 'GET', `/threads/${threadId}/history`);
  expect(history.length).toBeGreaterThan(1);
  const bundle = await download(`/threads/${threadId}/bundle`);
  const checkpoint = history.length;
  expect(await kindsOf(bundle)).toMatchObject({ threads: 1, thread: 1, run: 1, checkpoint });
  expect(await upload('/bundles', Buffer.from(bundle))).toEqual({
    status: 409,
    body: aFailure('thread_exists'),
  });
  await send(url, 'DELETE', `/threads/${threadId}`);
  expect(await upload('/bundles', Buffer.from(bundle))).toMatchObject({
    status: 201,
    body: {
      thread_id: threadId,
      status: 'idle',
      imported: { runs: 1, checkpoints: checkpoint, ended_runs: 0 },
    },
  });
  // A file has no run history.
  const { title: _, last_activity_at: __, ...kept } = before;
  expect(await send(url, 'GET', `/threads/${threadId}`)).toMatchObject(kept);
  expect(await send(url, 'GET', `/threads/${threadId}/history`)).toEqual(history);
  expect(await getRun(url, run.run_id)).toEqual(run);
  const next = await createRun(url, append('second'), threadId);
  expect(await awaitRun(url, next.run_id)).toMatchObject({
    status: 'completed',
    output: { done: ['first', 'second'] },
  });
});

it('makes a second thread under another id, which a search finds by its metadata', async () => {
  const { threadId } = await threadWithRun();
  const bundle = await download(`/threads/${threadId}/bundle`);
  const as = `${threadId}-2`;
  const response = await upload(`/bundles?thread_id=${as}`, Buffer.from(bundle));
  expect(response).toMatchObject({ status: 201, body: { thread_id: as } });
  const search = { metadata: { moved: threadId }, run_status: 'completed', agent_id: 'append_ts' };
  await waitUntil('both to be found', 20_000, async () => {
    const rows = await send<unknown[]>(url, 'POST', '/threads/search', search);
    return rows.length === 2;
  });
});

it('takes an open question along: it is answered on the second thread, and still open on the first', async () => {
  const threadId = await createThread(url);
  const review = { agent_id: 'review_ts', input: { text: 'it' } };
  const asked = await createRun(url, review, threadId);
  expect(await awaitRun(url, asked.run_id)).toMatchObject({ status: 'interrupted' });
  const bundle = await download(`/threads/${threadId}/bundle`);
  const as = `${threadId}-2`;
  const response = await upload(`/bundles?thread_id=${as}`, Buffer.from(bundle));
  expect(response).toMatchObject({ status: 201, body: { thread_id: as, status: 'interrupted' } });
  const resume = { agent_id: 'review_ts', command: { resume: 'yes' } };
  const { run_id: runId } = await createRun(url, resume, as);
  expect(await awaitRun(url, runId)).toMatchObject({
    status: 'completed',
    output: { text: 'it drafted published', answer: 'yes' },
  });
  const first = await send(url, 'GET', `/threads/${threadId}`);
  expect(first).toMatchObject({ status: 'interrupted' });
});

it('gives a run with its events and its output', async () => {
  const { threadId, run } = await threadWithRun();
  const bundle = await download(`/threads/${threadId}/bundle?run_id=${run.run_id}`);
  const kinds = await kindsOf(bundle);
  expect(kinds).toMatchObject({ run: 2, agent: 1, log: 1 });
  expect(kinds['event']).toBeGreaterThan(0);
  // Read as a thread, it is one.
  const response = await upload(`/bundles?thread_id=${threadId}-run`, Buffer.from(bundle));
  expect(response.status).toBe(201);
});

it('refuses what is cut off or damaged, and takes nothing of it', async () => {
  const { threadId } = await threadWithRun();
  const bundle = await download(`/threads/${threadId}/bundle`);
  const text = gunzipSync(bundle).toString();
  const target = `${threadId}-bad`;
  for (const [file, sentence] of [
    [bundle.subarray(0, bundle.length - 20), /^The bundle is cut off/],
    [gzipSync(text.replace('first', 'other')), /checksum/],
  ] as const) {
    const response = await upload(`/bundles?thread_id=${target}`, Buffer.from(file));
    expect([response.status, response.body]).toEqual([400, aFailure('bundle_invalid')]);
    expect(response.body).toMatchObject({ message: expect.stringMatching(sentence) });
  }
  expect((await call(`${url}/threads/${target}`)).status).toBe(404);
});

it('ends a run that was running, once its thread is gone', async () => {
  const until = join(folder, 'imported');
  const run = await createRun(url, append('cut off', until));
  const path = `/threads/${run.thread_id}`;
  await waitUntil('the run to be saved', 60_000, async () => {
    return (await send<unknown[]>(url, 'GET', `${path}/history`)).length > 0;
  });
  const bundle = await download(`${path}/bundle`);
  await send(url, 'DELETE', path);
  expect(await upload('/bundles', Buffer.from(bundle))).toMatchObject({
    status: 201,
    body: { status: 'idle', imported: { ended_runs: 1 } },
  });
  expect(await send(url, 'GET', `/runs/${run.run_id}`)).toMatchObject({ status: 'cancelled' });
  await writeFile(until, ''); // the state that was saved names it
  const next = await createRun(url, append('anew'), run.thread_id);
  expect(await awaitRun(url, next.run_id)).toMatchObject({ status: 'completed' });
});

it('leaves the run of the original alone, whatever is done to that of a second thread', async () => {
  const until = join(folder, 'original');
  const run = await createRun(url, append('original', until));
  const [threadId, uuid = ''] = run.run_id.split('_');
  const reading = fetch(`${url}/runs/${run.run_id}/stream`);
  await waitUntil('the run to be saved', 60_000, async () => {
    return (await send<unknown[]>(url, 'GET', `/threads/${threadId}/history`)).length > 0;
  });
  const bundle = await download(`/threads/${threadId}/bundle`);
  const as = `${threadId}-2`;
  expect((await upload(`/bundles?thread_id=${as}`, Buffer.from(bundle))).status).toBe(201);
  const [copy] = await send<RunResponse[]>(url, 'GET', `/threads/${as}/runs`);
  expect(copy?.run_id).not.toContain(uuid);
  // The same by a file that names the uuid.
  const lines = gunzipSync(bundle).toString().trimEnd().split('\n');
  const records = lines.slice(1, -1).map((line) => JSON.parse(line) as ForgedLine);
  const [thread = {}, ...rest] = records;
  const forged = [{ ...thread, thread_id: `${threadId}-3` }, ...rest];
  expect((await upload('/bundles', packedBundle(forged))).status).toBe(201);
  const twin = `${threadId}-3_${uuid}`;
  for (const other of [copy?.run_id, twin]) {
    expect(await call(`${url}/runs/${other}/cancel`, 'POST', {})).toMatchObject({
      body: { status: 'cancelled' },
    });
    expect((await fetch(`${url}/runs/${other}/stream`)).status).toBe(200);
    expect((await call(`${url}/runs/${other}`, 'DELETE')).status).toBe(204);
  }
  expect(await send(url, 'GET', `/runs/${run.run_id}`)).toMatchObject({ status: 'running' });
  await writeFile(until, '');
  expect(await (await reading).text()).toContain('"completed"');
  const ended = await awaitRun(url, run.run_id);
  expect(ended).toMatchObject({ status: 'completed', output: { done: ['original'] } });
  expect(ended).not.toHaveProperty('attempt');
});

it('refuses forged files one by one, shows every list afterwards, and writes nothing elsewhere', async () => {
  const change = (kind: string, members: ForgedLine): ForgedLine[] =>
    threadLines('forged').map((line) => (line['kind'] === kind ? { ...line, ...members } : line));
  for (const lines of [
    change('run', { run_uuid: '../../engine/engine.db' }),
    change('run', { run_uuid: 'x'.repeat(3_000) }),
    change('thread', { created_at: 2 ** 53 - 1 }),
    change('run', { output: '1,"status":"INJECTED"' }),
    change('run', { more: { output: { hash: '/dev/zero', size: 1 } } }),
    change('thread', { metadata: { a: 'x'.repeat(70_000) } }),
  ]) {
    const response = await upload('/bundles', packedBundle(lines));
    expect([response.status, response.body]).toEqual([400, aFailure('bundle_invalid')]);
  }
  expect((await call(`${url}/threads/forged`)).status).toBe(404);
  // One that is right in every member, and whose runs had asked for the administrator's rights.
  const taken = await upload('/bundles', packedBundle(threadLines('forged')));
  expect(taken).toMatchObject({ status: 201, body: { imported: { ended_runs: 2 } } });
  const runs = await send<RunResponse[]>(url, 'GET', '/threads/forged/runs');
  expect(runs.filter(({ status }) => status === 'running')).toEqual([]);
  expect((await call(`${url}/threads/search`, 'POST', { limit: 100 })).status).toBe(200);
  await send(url, 'DELETE', '/threads/forged');
});
