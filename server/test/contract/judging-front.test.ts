// What holds the suite of the specification against the document notices what is not in it. It starts Prism, two seconds.
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  startJudgingFront,
  VIOLATIONS_PATH,
  type JudgingFront,
} from '../fixtures/judging-front.ts';
import { startValidatingProxy, type ValidatingProxy } from '../fixtures/validating-proxy.ts';

const thread = {
  thread_id: 't',
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
  metadata: {},
  status: 'idle',
};

let given = { status: 200, body: {} as unknown };
let service: Server;
let proxy: ValidatingProxy;
let front: JudgingFront;
beforeAll(async () => {
  service = createServer((request, response) => {
    request.resume();
    response.writeHead(given.status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(given.body));
  });
  service.listen(0, '127.0.0.1');
  await once(service, 'listening');
  const { port } = service.address() as AddressInfo; // it listens on TCP
  proxy = await startValidatingProxy(`http://127.0.0.1:${port}`);
  front = await startJudgingFront(proxy.url, `http://127.0.0.1:${port}`);
});
afterAll(async () => {
  await front.close();
  await proxy.close();
  service.close();
});

/** What is found in one exchange, asked for as a test of the suite does it. */
async function violations(method: string, path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(`${front.url}${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  expect([response.status, await response.json()]).toEqual([given.status, given.body]);
  const found: unknown = await (await fetch(`${front.url}${VIOLATIONS_PATH}`)).json();
  expect(front.takeViolations()).toEqual([]);
  return found;
}

it('finds nothing in an exchange that is as documented', async () => {
  given = { status: 201, body: thread };
  expect(await violations('POST', '/threads', {})).toEqual([]);
  expect(front.counts()).toEqual({ exchanges: 1, judged: 1 });
});

it('finds a response that lacks what the document promises, by its request', async () => {
  const { created_at: _, ...rest } = thread;
  given = { status: 200, body: { ...rest, values: {} } };
  expect(await violations('GET', '/threads/t')).toEqual([
    {
      request: 'GET /threads/t',
      status: 200,
      location: ['response', 'body'],
      message: expect.stringContaining('created_at'),
    },
  ]);
});

it('finds a status that the document does not know', async () => {
  given = { status: 418, body: {} };
  expect(await violations('GET', '/threads/t')).toMatchObject([
    { request: 'GET /threads/t', status: 418, location: ['response'] },
  ]);
});

it('finds a request that the document forbids although it was served, and none that was refused', async () => {
  const wrong = { thread_id: 7 };
  given = { status: 201, body: thread };
  expect(await violations('POST', '/threads', wrong)).toMatchObject([
    { request: 'POST /threads', status: 201, location: ['request', 'body', 'thread_id'] },
  ]);
  const details = { reason: 'x', request_id: 'x' };
  given = {
    status: 400,
    body: { code: 'invalid_request', message: 'm', detail: 'm', metadata: details },
  };
  expect(await violations('POST', '/threads', wrong)).toEqual([]);
});

it('lets event streams pass, which the document does not describe', async () => {
  const { exchanges, judged } = front.counts();
  given = { status: 200, body: 'anything' };
  expect(await violations('GET', '/runs/r/stream')).toEqual([]);
  expect(front.counts()).toEqual({ exchanges: exchanges + 1, judged });
});
