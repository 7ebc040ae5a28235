import { request, type IncomingHttpHeaders } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { call } from '../../../test/fixtures/call.ts';
import { startHttpService, type HttpService } from '../../../test/fixtures/http-service.ts';
import type { ThreadId } from '../../model/ids.ts';
import { MAX_WAIT_MS } from '../response/wait.ts';

let service: HttpService;
beforeAll(async () => {
  service = await startHttpService();
  await service.engine.threads.create('t' as ThreadId, {});
});
afterEach(() => void vi.useRealTimers());
afterAll(() => service.close());

interface Answer {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  body: unknown;
}

/** `fetch` has its own time limit, by the clock that the test moves. */
function send(method: string, path: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request(service.url + path, { method }, (response) => {
      const { statusCode: status, headers } = response;
      json(response).then((body) => resolve({ status, headers, body }), reject);
    })
      .on('error', reject)
      .end();
  });
}

/** Sends a request, and resolves once the service waits for its run, with a clock that the test moves. */
async function waiting(method: string, path: string): Promise<{ response: Promise<Answer> }> {
  const { engine } = service;
  const original = engine.runs.whenSettled.bind(engine.runs);
  const begun = new Promise<void>((resolve) => {
    engine.runs.whenSettled = (...args) => {
      engine.runs.whenSettled = original;
      resolve();
      return original(...args);
    };
  });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const response = send(method, path);
  await begun;
  return { response };
}

async function newRun(): Promise<string> {
  const { body } = await call(`${service.url}/threads/t/runs`, 'POST', {});
  return (body as { run_id: string }).run_id;
}

it.each([
  ['POST', '/runs/wait'],
  ['GET', '/runs/{run_id}/wait'],
  ['POST', '/runs/wait?wait=1h30m'],
  ['POST', '/runs/wait?timeout=601'],
  ['GET', '/runs/{run_id}/wait?wait=11m'],
  ['POST', '/threads/t/runs?wait=20m'],
])('%s %s waits for 10 minutes and not longer', async (method, template) => {
  const { response } = await waiting(method, template.replace('{run_id}', await newRun()));
  let isAnswered = false;
  void response.then(() => (isAnswered = true));
  await vi.advanceTimersByTimeAsync(MAX_WAIT_MS - 1);
  expect(isAnswered).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  const { status, headers, body } = await response;
  const { run_id: runId } = (body as { metadata: { run_id: string } }).metadata;
  expect([status, headers.location, headers['retry-after']]).toEqual([504, `/runs/${runId}`, '1']);
  vi.useRealTimers();
  // The run is not cancelled.
  expect((await call(`${service.url}/runs/${runId}`)).body).toMatchObject({ status: 'running' });
});

it.each([
  ['30s', 30_000],
  ['5m', 300_000],
  ['45', 45_000],
  ['1m30s', 90_000],
])('waits as long as wait=%s sets', async (wait, ms) => {
  const { response } = await waiting('POST', `/runs/wait?wait=${wait}&timeout=1h`);
  let isAnswered = false;
  void response.then(() => (isAnswered = true));
  await vi.advanceTimersByTimeAsync(ms - 1);
  expect(isAnswered).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect((await response).status).toBe(504);
});
