// The agent folder's own routes: which requests reach them, as whom, and what of both sides passes.
import { request as rawRequest } from 'node:http';
import { afterEach, expect, it } from 'vitest';

import { startHttpService, type HttpService } from '../../../test/fixtures/http-service.ts';
import { createManifestAuthenticator, type UserPort } from '../../auth/manifest-auth.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { AgentAppPort } from './agent-app.ts';
import type { AppOptions } from '../app.ts';

type Given = Parameters<AgentAppPort['http']>[0];
type Head = Parameters<Parameters<AgentAppPort['http']>[2]>[0];

const users: UserPort = {
  async authenticate({ headers }) {
    const [token] = headers['authorization'] ?? [];
    if (token === undefined) return { kind: 'refused', status: 401, detail: 'Who?' };
    return { kind: 'user', user: { identity: token, permissions: ['read'] } };
  },
};

let service: HttpService;
afterEach(() => service.close());

/** A service with this app; what the app was given is in the list. */
async function serve(
  http: (given: Given, signal: AbortSignal) => Promise<[Partial<Head>, AsyncIterable<Uint8Array>]>,
  options: Partial<AppOptions> & { isTokenShown?: boolean } = {},
): Promise<Given[]> {
  const seen: Given[] = [];
  const { isTokenShown = true, ...others } = options;
  const port: AgentAppPort = {
    async http(given, signal, response) {
      seen.push(given);
      const [head, body] = await http(given, signal);
      await response({ status: 200, headers: [], ...head }, body);
    },
  };
  service = await startHttpService({ agentApp: { port, isTokenShown }, ...others });
  return seen;
}

async function* text(...parts: string[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield Buffer.from(part);
}

const hello = async (): Promise<[Partial<Head>, AsyncIterable<Uint8Array>]> => [{}, text('app')];

it('routes of the service always win, also with another method', async () => {
  const seen = await serve(hello);
  const own = [
    '/health',
    '/agents',
    '/info',
    '/threads/search',
    '/compat/langgraph/ok',
    '/swagger-ui/',
  ];
  for (const path of own) await fetch(`${service.url}${path}`);
  expect((await fetch(`${service.url}/agents`, { method: 'PUT' })).status).toBe(405);
  expect(seen).toEqual([]);
  const paths = ['/', '/hello/a%20b?q=1', '/compat/langgraph/hello'];
  for (const path of paths) expect(await (await fetch(`${service.url}${path}`)).text()).toBe('app');
  expect(seen.map(({ path, rawPath, query }) => [path, rawPath, query])).toEqual([
    ['/', '/', ''],
    ['/hello/a b', '/hello/a%20b', 'q=1'],
    ['/hello', '/hello', ''],
  ]);
});

it('no caller reaches it without credentials, and it receives who calls', async () => {
  const seen = await serve(hello, { authenticator: createManifestAuthenticator(users) });
  expect((await fetch(`${service.url}/hello`)).status).toBe(401);
  expect(seen).toEqual([]);
  await fetch(`${service.url}/hello`, { headers: { authorization: 'ada' } });
  expect(seen[0]?.user).toMatchObject({
    identity: 'ada',
    display_name: 'ada',
    is_authenticated: true,
    permissions: ['read'],
  });
  expect(seen[0]?.headers['authorization']).toEqual(['ada']);
});

it('no caller whom the policy denies reaches it', async () => {
  const seen = await serve(hello, {
    policy: { isPermitted: ({ resource }) => resource.mrn !== 'mrn:service:app:/no' },
  });
  expect((await fetch(`${service.url}/no`)).status).toBe(403);
  expect((await fetch(`${service.url}/yes`)).status).toBe(200);
  expect(seen).toHaveLength(1);
});

it('sees neither what is of the connection nor the service’s own credentials', async () => {
  const seen = await serve(hello, { isTokenShown: false });
  const headers = {
    ...{ 'X-Service-Token': 's', 'X-Test-Principal': 'p', Authorization: 'Bearer t' },
    ...{ Connection: 'keep-alive, X-Mine', 'X-Mine': '1', TE: 'trailers', 'X-Kept': 'é' },
  };
  await new Promise<void>((resolve) => {
    rawRequest(`${service.url}/hello`, { headers }, (res) =>
      res.resume().once('end', resolve),
    ).end();
  });
  const [given] = seen;
  expect(Object.keys(given?.headers ?? {}).toSorted()).toEqual(['host', 'x-kept']);
  expect(given?.headers['x-kept']).toEqual(['é']);
  expect(given?.user).toMatchObject({ identity: 'anonymous', is_authenticated: false });
});

it('pages of other origins reach it by GET only, as they do the service', async () => {
  const seen = await serve(hello);
  const headers = { origin: 'https://page.example' };
  const refused = await fetch(`${service.url}/hook`, { method: 'POST', headers });
  expect([refused.status, await refused.json()]).toMatchObject([
    403,
    { code: 'origin_not_allowed' },
  ]);
  await fetch(`${service.url}/page`, { headers });
  await fetch(`${service.url}/hook`, { method: 'POST', headers: { origin: service.url } });
  expect(seen.map(({ method, path }) => [method, path])).toEqual([
    ['GET', '/page'],
    ['POST', '/hook'],
  ]);
});

it('responds with status, headers of several values, and none that only the service sets', async () => {
  const headers: [string, string][] = [
    ...([
      ['set-cookie', 'a=1'],
      ['set-cookie', 'b=2'],
      ['x-a', 'é'],
    ] as [string, string][]),
    ...([
      ['connection', 'x-mine'],
      ['x-mine', '1'],
      ['keep-alive', '5'],
    ] as [string, string][]),
    ...([
      ['x-request-id', 'r'],
      ['access-control-allow-origin', '*'],
    ] as [string, string][]),
  ];
  await serve(async () => [{ status: 418, headers }, text('a', 'b')]);
  const response = await fetch(`${service.url}/tea`);
  expect([response.status, await response.text()]).toEqual([418, 'ab']);
  expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
  expect(response.headers.get('x-a')).toBe('é');
  expect(response.headers.get('x-request-id')).not.toBe('r');
  for (const name of ['x-mine', 'access-control-allow-origin']) {
    expect([name, response.headers.get(name)]).toEqual([name, null]);
  }
});

it.each<[string, Partial<Head>]>([
  ['a header with a line end', { headers: [['x-a', 'b\r\nx-c: d']] }],
  ['a header without a name', { headers: [['', 'b']] }],
  ['a status of 101', { status: 101 }],
  ['no status', { status: 0 }],
])('a response with %s is refused', async (_, head) => {
  await serve(async () => [head, text('secret')]);
  const response = await fetch(`${service.url}/x`);
  expect([response.status, await response.json()]).toEqual([
    502,
    expect.objectContaining({ code: 'agent_error' }),
  ]);
});

it('the client has each part as it comes, and what it sends is read as it comes', async () => {
  await serve(async ({ body }) => [{}, body]);
  let send: (part: string | undefined) => void = () => undefined;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      send = (part) =>
        part === undefined ? controller.close() : controller.enqueue(Buffer.from(part));
    },
  });
  send('one');
  const response = await fetch(`${service.url}/echo`, { method: 'POST', body, duplex: 'half' });
  const reader = response.body?.getReader();
  for (const part of ['one', 'two']) {
    if (part === 'two') send(part);
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe(part);
  }
  send(undefined);
  expect((await reader?.read())?.done).toBe(true);
});

it('a body that is too large is refused, announced or not', async () => {
  await serve(
    async ({ body }) => {
      for await (const _ of body); // as an app that reads it
      return [{}, text()];
    },
    { bodyLimitBytes: 1_000 },
  );
  const sized = await fetch(`${service.url}/x`, { method: 'POST', body: 'x'.repeat(1_001) });
  const parts = text('x'.repeat(600), 'x'.repeat(600));
  const body = ReadableStream.from(parts);
  const unsized = await fetch(`${service.url}/x`, { method: 'POST', body, duplex: 'half' });
  expect([sized.status, unsized.status]).toEqual([413, 413]);
});

it('an app that fails is distinguished from one that breaks off', async () => {
  await serve(async ({ path }) => {
    if (path === '/late') return [{}, failing()];
    throw new ServiceError('agent_error', "The agents' http.app failed.", {
      cause: new Error('secret'),
    });
  });
  const failed = await fetch(`${service.url}/x`);
  expect([failed.status, await failed.text()]).toEqual([
    500,
    expect.not.stringContaining('secret'),
  ]);
  const broken = await fetch(`${service.url}/late`);
  expect(broken.status).toBe(200);
  await expect(broken.text()).rejects.toThrow('terminated');
});

async function* failing(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('half');
  await new Promise((resolve) => setImmediate(resolve)); // the head is on its way by now
  throw new ServiceError('agent_error', 'gone', { status: 502 });
}

it('a response that is shorter than its length is cut off', async () => {
  await serve(async () => [{ headers: [['content-length', '10']] }, text('half')]);
  const asked = fetch(`${service.url}/x`).then((response) => response.text());
  await expect(asked).rejects.toThrow(/terminated|fetch failed/);
});

it('a client that goes ends the request to the app', async () => {
  const begun = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<void>();
  await serve((_, signal) => {
    signal.addEventListener('abort', () => gone.resolve());
    begun.resolve();
    return new Promise(() => undefined);
  });
  const client = new AbortController();
  const asked = fetch(`${service.url}/x`, { signal: client.signal });
  await begun.promise;
  client.abort();
  await expect(asked).rejects.toThrow('aborted');
  await gone.promise;
});

it('WebSockets are refused in a sentence', async () => {
  const seen = await serve(hello);
  const headers = { Connection: 'Upgrade', Upgrade: 'websocket' };
  const status = await new Promise<number | undefined>((resolve) => {
    rawRequest(`${service.url}/ws`, { headers }, (res) => resolve(res.resume().statusCode)).end();
  });
  expect([status, seen]).toEqual([400, []]);
});
