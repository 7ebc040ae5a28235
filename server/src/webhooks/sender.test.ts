import { once } from 'node:events';
import { createServer as createTlsServer } from 'node:https';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAuthority } from '../../test/fixtures/authority.ts';
import { type EgressRule, readEgressRule } from '../guest/egress/egress-rule.ts';
import { createSender, type SenderOptions } from './sender.ts';

let server: Server;
let port: number;
let received: { request: IncomingMessage; body: string }[];
let respond: RequestListener;

beforeEach(async () => {
  received = [];
  respond = (_, response) => void response.end('taken');
  server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      received.push({ request, body });
      respond(request, response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo); // of a TCP server
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const rules = (...entries: string[]): EgressRule[] =>
  entries
    .map((entry) => readEgressRule(entry))
    .filter((rule) => !('wrong' in rule)) as EgressRule[];
const local = rules('127.0.0.1', '*');
const send = (url: string, options: Partial<SenderOptions> = {}, body = '{"a":"ä"}') =>
  createSender({ allow: local, userAgent: 'test/1', ...options }).send(
    { webhookId: 'w', url },
    body,
    new AbortController().signal,
  );
/** A name that leads to these addresses, one after the other. */
const named = (...addresses: string[]): Pick<SenderOptions, 'resolve'> => ({
  resolve: async () => [{ address: addresses.shift() ?? '127.0.0.1', family: 4 }],
});

it('posts the body, with the headers of Standard Webhooks', async () => {
  const url = `http://127.0.0.1:${port}/hook?a=1`;
  expect(await send(url, { secret: 'secret' })).toEqual({ kind: 'delivered' });
  const [{ request, body } = { request: undefined, body: '' }] = received;
  expect([request?.method, request?.url, body]).toEqual(['POST', '/hook?a=1', '{"a":"ä"}']);
  expect(request?.headers).toMatchObject({
    ...{ 'content-type': 'application/json', 'user-agent': 'test/1', 'webhook-id': 'w' },
    ...{ host: `127.0.0.1:${port}` },
    'webhook-timestamp': expect.stringMatching(/^\d{10}$/) as string,
    'webhook-signature': expect.stringMatching(/^v1,[\w+/]{43}=$/) as string,
  });
});

it.each([
  [204, 'delivered', undefined],
  [400, 'failed', 'status 400'],
  [503, 'failed', 'status 503'],
  [410, 'refused', 'status 410'],
])('status %i: %s', async (status, kind, reason) => {
  respond = (_, response) => void response.writeHead(status).end();
  const outcome = await send(`http://127.0.0.1:${port}/`);
  expect(outcome).toEqual(reason === undefined ? { kind } : { kind, reason });
});

it('follows no redirect', async () => {
  respond = (_, response) => void response.writeHead(307, { location: '/elsewhere' }).end();
  const outcome = await send(`http://127.0.0.1:${port}/`);
  expect(outcome).toEqual({ kind: 'failed', reason: 'status 307' });
  expect(received).toHaveLength(1);
});

it('waits for a response no longer than its time, and reads no more than its limit', async () => {
  respond = () => undefined;
  const outcome = await send(`http://127.0.0.1:${port}/`, { tryMs: 200 });
  expect(outcome).toEqual({ kind: 'failed', reason: 'no response in time' });
  let isCutOff = false;
  respond = (_, response) => {
    response.on('close', () => (isCutOff = true));
    const more = (): void => void (isCutOff || response.write('x'.repeat(65_536), more));
    more();
  };
  expect(await send(`http://127.0.0.1:${port}/`)).toEqual({ kind: 'delivered' });
});

it('reports a server that is not there', async () => {
  server.close();
  const outcome = await send(`http://127.0.0.1:${port}/`);
  expect(outcome).toEqual({ kind: 'failed', reason: 'not connected' });
});

it('checks the certificate of a server with https, for its name', async () => {
  const authority = await createAuthority('hooks');
  const { cert, key } = await authority.issue({ names: ['hook.example'] });
  const secure = createTlsServer({ cert, key }, (_, response) => void response.end());
  secure.listen(0, '127.0.0.1');
  await once(secure, 'listening');
  const { port: tlsPort } = secure.address() as AddressInfo; // of a TCP server
  const to = (name: string) => ({ allow: rules(name), ...named('127.0.0.1'), ca: authority.cert });
  const outcomes = [
    await send(`https://hook.example:${tlsPort}/`, to('hook.example')),
    await send(`https://other.example:${tlsPort}/`, to('other.example')),
  ];
  secure.closeAllConnections();
  secure.close();
  authority.close();
  expect(outcomes).toEqual([
    { kind: 'delivered' },
    { kind: 'failed', reason: 'ERR_TLS_CERT_ALTNAME_INVALID' },
  ]);
});

describe('where webhooks may not go', () => {
  it.each(['10.0.0.1', '169.254.169.254', '192.168.0.1', '127.0.0.1', '0.0.0.0'])(
    'a name that leads to %s is not connected to',
    async (address) => {
      const to = { allow: undefined, ...named(address) };
      const outcome = await send(`http://hook.example:${port}/`, to);
      expect(outcome).toEqual({ kind: 'refused', reason: 'private_address' });
      expect(received).toEqual([]);
    },
  );

  it('a name is looked up once for each try: what is connected to is what was checked', async () => {
    const to = { allow: rules('hook.example'), ...named('127.0.0.1', '10.0.0.1') };
    expect(await send(`http://hook.example:${port}/`, to)).toEqual({ kind: 'delivered' });
    const rebound = { allow: undefined, ...named('10.0.0.1', '8.8.8.8') };
    expect(await send(`http://hook.example:${port}/`, rebound)).toMatchObject({ kind: 'refused' });
  });

  it('a host that no rule names', async () => {
    const outcome = await send(`http://other.example:${port}/`, { allow: rules('hook.example') });
    expect(outcome).toEqual({ kind: 'refused', reason: 'not_allowed' });
  });

  it.each([
    ...['http://127.0.0.1/', 'http://[::1]/', 'http://2130706433/', 'http://0x7f.1/'],
    ...['http://169.254.169.254/latest/meta-data', 'http://10.1.2.3:8080/', 'ftp://hook.example/'],
    ...['http://localhost/', 'http://a.localhost:8080/'],
    ...['http://user:password@hook.example/', '/relative', 'hook.example', 'http://[fd00::1]/'],
    `https://hook.example/${'x'.repeat(2_048)}`,
  ])('%s is refused before there is a run', (url) => {
    const sender = createSender({ userAgent: 'test' });
    expect(() => sender.requireAllowed(url)).toThrow(/^webhook: /);
  });

  it.each(['https://hook.example/a?b=c', 'http://hook.example:8080/', 'https://8.8.8.8/'])(
    '%s is taken',
    (url) => expect(() => createSender({ userAgent: 'test' }).requireAllowed(url)).not.toThrow(),
  );

  it('a rule permits an address, and forbids all others', () => {
    const { requireAllowed } = createSender({ allow: rules('127.0.0.1:8080'), userAgent: 'test' });
    expect(() => requireAllowed('http://127.0.0.1:8080/')).not.toThrow();
    expect(() => requireAllowed('http://127.0.0.1:8081/')).toThrow('webhooks.allow');
    expect(() => requireAllowed('https://hook.example/')).toThrow('webhooks.allow');
  });
});
