import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { call } from '../../../test/fixtures/call.ts';
import {
  type HttpService,
  startHttpService,
  WEBHOOK_SECRET,
} from '../../../test/fixtures/http-service.ts';
import { waitUntil } from '../../../test/fixtures/wait-until.ts';
import type { RunUuid, ThreadId } from '../../model/ids.ts';
import { jsonText } from '../../model/json.ts';

let service: HttpService;
let server: Server;
let hook: string;
let received: { headers: IncomingHttpHeaders; body: string }[];

beforeEach(async () => {
  service = await startHttpService();
  received = [];
  server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      received.push({ headers: request.headers, body });
      response.end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  hook = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`; // of a TCP server
});
afterEach(async () => {
  await service.close();
  server.closeAllConnections();
  server.close();
});

const ask = (method: string, path: string, body?: object, headers?: Record<string, string>) =>
  call(`${service.url}/compat/langgraph${path}`, method, body, headers);
const arrival = (count = 1) =>
  waitUntil('the webhook to arrive', 10_000, () => received.length >= count);
const ends = (end: Parameters<HttpService['engine']['endRun']>[2]): void => {
  service.engine.onRun = (threadId, { runUuid }) =>
    queueMicrotask(() => service.engine.endRun(threadId, runUuid, end));
};

it('sends a run when it has completed, signed', async () => {
  ends({ status: 'completed', output: jsonText('{"n":1.0}') });
  const metadata = { team: 'a' };
  const begun = await ask('POST', '/runs', {
    ...{ assistant_id: 'echo', input: { n: 1 }, webhook: hook, metadata },
  });
  const { run_id, thread_id } = begun.body as { run_id: string; thread_id: string };
  expect(begun.body).toMatchObject({ kwargs: { webhook: hook } });
  await arrival();
  const [{ headers, body } = { headers: {} as IncomingHttpHeaders, body: '' }] = received;
  expect(body).toContain('"values":{"n":1.0}');
  expect(JSON.parse(body)).toMatchObject({
    ...{ run_id, thread_id, status: 'success', metadata },
    ...{ kwargs: { webhook: hook }, run_started_at: expect.any(String) as string },
    run_ended_at: expect.any(String) as string,
    webhook_sent_at: expect.any(String) as string,
  });
  const { 'webhook-id': id, 'webhook-timestamp': at } = headers;
  const key = Buffer.from(WEBHOOK_SECRET.slice(6), 'base64');
  const signature = createHmac('sha256', key).update(`${String(id)}.${String(at)}.${body}`);
  expect(headers['webhook-signature']).toBe(`v1,${signature.digest('base64')}`);
  expect(JSON.stringify(service.logged)).not.toContain('/hook');
});

it('sends a run that failed with its error, and one that asks as interrupted', async () => {
  await ask('POST', '/threads', { thread_id: '10000000-0000-4000-8000-000000000001' });
  const runs = '/threads/10000000-0000-4000-8000-000000000001/runs';
  ends({ status: 'error', error: { code: 'agent_error', message: 'no', type: 'ValueError' } });
  await ask('POST', runs, { assistant_id: 'echo', input: {}, webhook: hook });
  await arrival();
  ends({
    status: 'interrupted',
    output: jsonText('{"__interrupt__":[]}'),
    interrupts: [],
  });
  await ask('POST', runs, { assistant_id: 'echo', input: {}, webhook: hook });
  await arrival(2);
  expect(received.map(({ body }) => JSON.parse(body) as object)).toMatchObject([
    { status: 'error', error: { error: 'ValueError', message: 'no' } },
    { status: 'interrupted', values: { __interrupt__: [] } },
  ]);
  expect(JSON.parse(received[1]?.body ?? '')).not.toHaveProperty('error');
});

it('sends a run once, however often its creation is repeated', async () => {
  ends({ status: 'completed', output: jsonText('{}') });
  await call(`${service.url}/threads`, 'POST', { thread_id: 't' });
  const body = { assistant_id: 'echo', input: {}, webhook: hook };
  for (const path of ['/runs', '/threads/t/runs']) {
    received = [];
    const headers = { 'Idempotency-Key': path };
    const first = await ask('POST', path, body, headers);
    const again = await ask('POST', path, body, headers);
    expect(again.body).toMatchObject({ run_id: (first.body as { run_id: string }).run_id });
    await arrival();
    const afterwards = await ask('POST', path, body, headers);
    expect(afterwards.status).toBe(200);
    expect(received).toHaveLength(1);
  }
});

it('sends a run whose creation was repeated before it had ended', async () => {
  await call(`${service.url}/threads`, 'POST', { thread_id: 't' });
  const body = { assistant_id: 'echo', input: {}, webhook: hook };
  for (const path of ['/runs', '/threads/t/runs']) {
    received = [];
    const headers = { 'Idempotency-Key': path };
    const first = await ask('POST', path, body, headers);
    await ask('POST', path, body, headers);
    const { thread_id, run_id } = first.body as { thread_id: ThreadId; run_id: RunUuid };
    service.engine.endRun(thread_id, run_id, { status: 'completed', output: jsonText('{}') });
    await arrival();
    expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({ run_id });
  }
});

it.each([
  'http://10.0.0.1/',
  'http://169.254.169.254/latest/meta-data',
  'file:///etc/passwd',
  '/relative',
])('refuses %s, for runs and for crons', async (webhook) => {
  const body = { assistant_id: 'echo', input: {}, webhook };
  const cron = { ...body, schedule: '0 0 1 1 *' };
  for (const [path, asked] of [
    ['/runs', body],
    ['/runs/wait', body],
    ['/runs/crons', cron],
  ] as const) {
    const refused = await ask('POST', path, asked);
    expect(refused).toMatchObject({
      status: 422,
      body: { code: 'invalid_request', metadata: { issues: [{ path: 'webhook' }] } },
    });
  }
});

it('asks whether the caller may read the run, before there is one', async () => {
  await service.close();
  const asked: string[] = [];
  service = await startHttpService({
    policy: {
      isPermitted({ operation }) {
        asked.push(operation);
        return operation !== 'service:run:read';
      },
    },
  });
  const body = { assistant_id: 'echo', input: {} };
  expect((await ask('POST', '/runs', body)).status).toBe(200);
  const denied = await ask('POST', '/runs', { ...body, webhook: hook });
  expect(denied).toMatchObject({ status: 403, body: { code: 'permission_denied' } });
});
