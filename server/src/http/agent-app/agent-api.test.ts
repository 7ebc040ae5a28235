// The API for clients within agents: who calls, what they reach, and how it ends.
import { afterEach, expect, it } from 'vitest';

import { startHttpService, type HttpService } from '../../../test/fixtures/http-service.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { AGENT_REQUESTS_AT_ONCE } from '../../model/limits/http-limits.ts';
import type { PolicyPort } from '../../policy/port.ts';
import { createAgentApi, type AgentApi } from './agent-api.ts';

type Asked = Parameters<AgentApi['call']>[1];

const ada = { runUuid: 'run-of-ada', principal: { sub: 'ada', mroles: ['r'] } };
const never = new AbortController().signal;

let api: AgentApi;
let service: HttpService;
afterEach(() => service.close());

async function start(policy?: PolicyPort): Promise<void> {
  api = createAgentApi();
  service = await startHttpService({
    agentApi: api,
    // No caller is admitted from outside.
    serviceToken: 'secret',
    authenticator: {
      authenticate() {
        throw new ServiceError('unauthenticated', 'Who?');
      },
    },
    ...(policy && { policy }),
  });
}

function asked(method: string, target: string, body?: unknown): Asked {
  const parts = body === undefined ? [] : [Buffer.from(JSON.stringify(body))];
  return {
    method,
    target,
    headers: body === undefined ? {} : { 'content-type': ['application/json'] },
    body: (async function* () {
      yield* parts;
    })(),
  };
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  return Buffer.concat(parts).toString();
}

async function ask(request: Asked, caller: Parameters<AgentApi['call']>[0] = ada) {
  const { status, headers, body } = await api.call(caller, request, never);
  const text = await textOf(body);
  const response = text === '' ? undefined : (JSON.parse(text) as unknown);
  return { status, headers: Object.fromEntries(headers), body: response };
}

it('responds as to the principal of the run, whose policy is asked, without the service’s own token', async () => {
  const seen: unknown[] = [];
  await start({
    isPermitted: ({ principal, operation }) => {
      seen.push([principal, operation]);
      return true;
    },
  });
  const made = await ask(asked('POST', '/threads', { thread_id: 't', metadata: { a: 'b' } }));
  expect(made).toMatchObject({ status: 200, body: { thread_id: 't', metadata: { a: 'b' } } });
  const principal = { sub: 'ada', mroles: ['r'], claims: { sub: 'ada', mroles: ['r'] } };
  expect(seen[0]).toEqual([principal, expect.any(String)]);
  const [line] = service.logged.filter(({ msg }) => msg === 'request');
  expect(line).toMatchObject({ sub: 'ada', caller_run_id: 'run-of-ada', status: 200 });
});

it('refuses what no run asks, and a run without a principal', async () => {
  await start();
  const refused = { status: 403, body: { code: 'permission_denied' } };
  // Not by a default value: the missing caller is passed explicitly.
  const response = await api.call(undefined, asked('GET', '/ok'), never);
  expect({
    status: response.status,
    body: JSON.parse(await textOf(response.body)) as unknown,
  }).toMatchObject(refused);
  expect(await ask(asked('GET', '/threads/t'), { principal: {} })).toMatchObject(refused);
});

it('admits no outside caller by the name of a call, nor an agent by that of another', async () => {
  await start();
  let id = '';
  api.parts.authenticator.authenticate = ((authenticate) => (headers) => {
    [id = ''] = headers['x-agent-call'] ?? [];
    return authenticate(headers);
  })(api.parts.authenticator.authenticate);
  const events = await api.call(
    ada,
    asked('POST', '/runs/stream', { assistant_id: 'echo' }),
    never,
  );
  expect(id).not.toBe('');
  const outside = await fetch(`${service.url}/compat/langgraph/threads/t`, {
    headers: { 'x-agent-call': id, 'x-service-token': 'secret' },
  });
  expect(outside.status).toBe(401);
  const forged = { ...asked('GET', '/ok'), headers: { 'x-agent-call': [id] } };
  const inside = await api.call(undefined, forged, never);
  expect(inside.status).toBe(403);
  expect(events.status).toBe(200);
});

it.each([
  ['/metrics', 404],
  ['/../../agents', 404],
  ['/threads/t/nothing', 404],
  ['/ok', 200],
])('reaches nothing but the API of LangGraph Server: %s', async (target, status) => {
  await start();
  expect((await ask(asked('GET', target))).status).toBe(status);
});

it.each([
  ['CONNECT', '/ok', 'is no request of the API'],
  ['GET', 'http://elsewhere/ok', 'is no request of the API'],
  ['GET', '/a b\r\nx: y', 'unescaped characters'],
])('takes no request that is none: %s %s', async (method, target, reason) => {
  await start();
  await expect(ask(asked(method, target))).rejects.toThrow(reason);
});

it('refuses a body over the limit of all bodies', async () => {
  await start();
  const large = asked('POST', '/threads', { metadata: { text: 'x'.repeat(9 * 1024 * 1024) } });
  expect(await ask(large)).toMatchObject({ status: 413, body: { code: 'payload_too_large' } });
});

it('takes a body with DELETE, as clients of the store send it', async () => {
  await start();
  const item = asked('DELETE', '/store/items', { namespace: ['a'], key: 'k' });
  expect(await ask(item)).toMatchObject({ status: 404, body: { code: 'store_disabled' } });
});

it(`has ${AGENT_REQUESTS_AT_ONCE} requests of a run under way, and takes more when some are over`, async () => {
  await start();
  const over = new AbortController();
  const body = { assistant_id: 'echo' };
  const open = Array.from({ length: AGENT_REQUESTS_AT_ONCE }, () =>
    api.call(ada, asked('POST', '/runs/stream', body), over.signal),
  );
  for (const { status } of await Promise.all(open)) expect(status).toBe(200);
  const tooMany = { status: 429, body: { code: 'too_many_requests' } };
  expect(await ask(asked('GET', '/ok'))).toMatchObject(tooMany);
  expect((await ask(asked('GET', '/ok'), { ...ada })).status).toBe(200);
  over.abort();
  await expect.poll(async () => (await ask(asked('GET', '/ok'))).status).toBe(200);
});

it('responds no more once the service stops', async () => {
  await start();
  const over = new AbortController();
  const body = { assistant_id: 'echo' };
  const events = await api.call(ada, asked('POST', '/runs/stream', body), over.signal);
  const parts = events.body[Symbol.asyncIterator]();
  await parts.next();
  api.stop();
  const sent: string[] = [];
  const rest = (async () => {
    for (;;) {
      const { done } = await parts.next();
      sent.push(done === true ? 'end' : 'part');
      if (done === true) return;
    }
  })();
  const late = api.call(ada, asked('GET', '/ok'), over.signal);
  await expect.poll(() => service.logged.filter(({ msg }) => msg === 'request').length).toBe(2);
  over.abort();
  await expect(Promise.all([rest, late])).rejects.toThrow('aborted');
  await expect(late).rejects.toThrow('aborted');
  expect(sent).toEqual([]);
});
