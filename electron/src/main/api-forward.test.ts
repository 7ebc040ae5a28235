import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { forward } from './api-forward.ts';

let base = '';
let seen: IncomingMessage | undefined;
let body = '';
let onHold: (request: IncomingMessage) => void = () => undefined;
const server = createServer((request, response) => {
  seen = request;
  if (request.url === '/hold') return onHold(request);
  body = '';
  request.on('data', (chunk: Buffer) => (body += chunk.toString()));
  request.on('end', () => {
    if (request.url === '/gone') return response.writeHead(204).end();
    if (request.url === '/broken') return void response.socket?.destroy();
    response.writeHead(201, { 'X-Pagination-Total': '3', 'Set-Cookie': 'a=b' });
    response.end('{"made":true}');
  });
});
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // a TCP listener always has one
});
afterAll(() => {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(resolve));
});

const page = 'http://page/';

it('passes method, body, query and headers on, with the credential and without what is the page’s', async () => {
  const request = new Request(page, {
    method: 'PUT',
    body: 'hello',
    headers: {
      'X-Test-Principal': '{}',
      'X-Service-Token': 'forged',
      Authorization: 'Bearer forged',
      'Sec-Fetch-Site': 'cross-site',
      Origin: 'https://example.org',
    },
  });
  const target = { base: `${base}/`, headers: { 'X-Service-Token': 'real' } };
  const answer = await forward(request, '/items?a=1&b=%2F', target);
  expect([answer.status, await answer.text()]).toEqual([201, '{"made":true}']);
  expect([seen?.method, seen?.url, body]).toEqual(['PUT', '/items?a=1&b=%2F', 'hello']);
  expect(seen?.headers).toMatchObject({ 'x-test-principal': '{}', 'x-service-token': 'real' });
  const names = Object.keys(seen?.headers ?? {});
  expect(names.filter((name) => /^(sec-|origin|authorization)/.test(name))).toEqual([]);
  expect(answer.headers.get('x-pagination-total')).toBe('3');
  expect(answer.headers.get('set-cookie')).toBeNull();
});

it('answers without a body where there is none', async () => {
  const answer = await forward(new Request(page), '/gone', { base, headers: {} });
  expect([answer.status, answer.body]).toEqual([204, null]);
});

it.each([
  [{ unavailable: 'No folder is open.' }, 'No folder is open.'],
  [
    { base: 'http://127.0.0.1:1', headers: {} },
    'The service does not answer: nothing listens there.',
  ],
])('is a documented 503 when nobody is there: %o', async (target, message) => {
  const answer = await forward(new Request(page), '/agents', target);
  expect([answer.status, answer.headers.get('retry-after'), await answer.json()]).toEqual([
    503,
    '1',
    {
      code: 'service_unavailable',
      message,
      detail: message,
      metadata: { request_id: expect.any(String), desktop: true },
    },
  ]);
});

it('is the same when the service breaks off before it answers', async () => {
  const answer = await forward(new Request(page), '/broken', { base, headers: {} });
  expect([answer.status, await answer.json()]).toMatchObject([
    503,
    { code: 'service_unavailable' },
  ]);
});

it('ends the request when the page gives up', async () => {
  const stop = new AbortController();
  const arrived = new Promise<IncomingMessage>((resolve) => (onHold = resolve));
  const request = new Request(page, { signal: stop.signal });
  const answer = forward(request, '/hold', { base, headers: {} });
  const incoming = await arrived;
  const closed = new Promise<void>((resolve) => incoming.once('close', () => resolve()));
  stop.abort();
  await closed;
  expect((await answer).status).toBe(503);
});
