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
    if (request.url === '/no-content') return response.writeHead(204).end();
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

it('passes method, body, query and headers on, with the credential and without the headers that concern only the page', async () => {
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
  const response = await forward(request, '/items?a=1&b=%2F', target);
  expect([response.status, await response.text()]).toEqual([201, '{"made":true}']);
  expect([seen?.method, seen?.url, body]).toEqual(['PUT', '/items?a=1&b=%2F', 'hello']);
  expect(seen?.headers).toMatchObject({ 'x-test-principal': '{}', 'x-service-token': 'real' });
  const names = Object.keys(seen?.headers ?? {});
  expect(names.filter((name) => /^(sec-|origin|authorization)/.test(name))).toEqual([]);
  expect(response.headers.get('x-pagination-total')).toBe('3');
  expect(response.headers.get('set-cookie')).toBeNull();
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
});

it('responds without a body where there is none', async () => {
  const response = await forward(new Request(page), '/no-content', { base, headers: {} });
  expect([response.status, response.body]).toEqual([204, null]);
});

it.each([
  [{ unavailable: 'No folder is open.' }, 'No folder is open.'],
  [
    { base: 'http://127.0.0.1:1', headers: {} },
    'The service does not respond: connection refused.',
  ],
])('is a documented 503 when no service is reachable: %o', async (target, message) => {
  const response = await forward(new Request(page), '/agents', target);
  expect([response.status, response.headers.get('retry-after'), await response.json()]).toEqual([
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

it('is the same when the service closes the connection before it responds', async () => {
  const response = await forward(new Request(page), '/broken', { base, headers: {} });
  expect([response.status, await response.json()]).toMatchObject([
    503,
    { code: 'service_unavailable' },
  ]);
});

it('ends the request when the page aborts it', async () => {
  const stop = new AbortController();
  const arrived = new Promise<IncomingMessage>((resolve) => (onHold = resolve));
  const request = new Request(page, { signal: stop.signal });
  const response = forward(request, '/hold', { base, headers: {} });
  const incoming = await arrived;
  const closed = new Promise<void>((resolve) => incoming.once('close', () => resolve()));
  stop.abort();
  await closed;
  expect((await response).status).toBe(503);
});
