// What a request includes is its own question: no way around the policy.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startHttpService, type HttpService } from '../../../test/fixtures/http-service.ts';
import { waitUntil } from '../../../test/fixtures/wait-until.ts';
import type { ThreadId } from '../../model/ids.ts';
import type { PolicyQuestion } from '../../policy/port.ts';

const COMPAT = '/compat/langgraph';

let service: HttpService;
let asked: string[];
let begun: number;
let isPermitted: (question: PolicyQuestion) => boolean;
beforeEach(async () => {
  asked = [];
  begun = 0;
  isPermitted = () => true;
  service = await startHttpService({
    policy: {
      looksAtOwners: true,
      isPermitted(question) {
        asked.push(`${question.operation} ${question.resource.owner ?? '-'}`);
        return isPermitted(question);
      },
    },
    authenticator: {
      authenticate: async ({ 'x-sub': [sub = ''] = [], 'x-realm': [mrealm = ''] = [] }) => ({
        sub,
        mroles: [],
        claims: { sub, mrealm },
      }),
    },
  });
  await service.engine.threads.create('adas' as ThreadId, {}, { owner: 'ada' });
  service.engine.onRun = () => void (begun += 1);
});
afterEach(() => service.close());

const denies =
  (operation: string, mrn?: string) =>
  ({ operation: asking, resource }: PolicyQuestion): boolean =>
    asking !== operation || (mrn !== undefined && resource.mrn !== mrn);

const ownerOnly = ({ principal, resource }: PolicyQuestion): boolean =>
  resource.owner === principal.sub;

async function send(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
) {
  const response = await fetch(`${service.url}${path}`, {
    method,
    headers: {
      'X-Sub': 'ada',
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const { code } = (text.startsWith('{') ? JSON.parse(text) : {}) as { code?: string };
  return { status: response.status, code, text, headers: response.headers };
}

const refused = { status: 403, code: 'permission_denied' };

describe('a new run', () => {
  it.each([
    ['service:run:read', '/threads/adas/runs?wait=1s'],
    ['service:run:read', '/runs/wait'],
    ['service:run:read', `${COMPAT}/threads/adas/runs/wait`],
    ['service:run:read', `${COMPAT}/runs/wait`],
    ['service:run:stream', '/runs/stream'],
    ['service:run:stream', `${COMPAT}/threads/adas/runs/stream`],
    ['service:run:stream', `${COMPAT}/runs/stream`],
  ])('needs %s for its response, or is not made: POST %s', async (operation, path) => {
    isPermitted = denies(operation);
    expect(await send('POST', path, {})).toMatchObject(refused);
    expect(begun).toBe(0);
    // Who does not wait for it needs no more than to make it.
    expect((await send('POST', '/threads/adas/runs', {})).status).toBe(202);
  });

  it.each([
    ['interrupt', 'service:run:cancel'],
    ['rollback', 'service:run:cancel'],
    ['rollback', 'service:run:delete'],
  ])('that would %s the others of its thread needs %s', async (strategy, operation) => {
    await send('POST', '/threads/adas/runs', {});
    isPermitted = denies(operation, 'mrn:service:run:adas_*');
    for (const path of ['/threads/adas/runs', `${COMPAT}/threads/adas/runs`]) {
      expect(await send('POST', path, { multitask_strategy: strategy })).toMatchObject(refused);
    }
    const { text } = await send('GET', '/threads/adas/runs');
    expect(JSON.parse(text)).toMatchObject([{ status: 'running' }]);
  });

  it('may make its thread, as its owner, and is on no other user’s', async () => {
    isPermitted = ownerOnly;
    const make = { if_not_exists: 'create' };
    const eve = { 'X-Sub': 'eve' };
    const own = await send('POST', `${COMPAT}/threads/eves/runs`, make, eve);
    expect([own.status, await service.engine.threads.ownerOf('eves' as ThreadId)]).toEqual([
      200,
      'eve',
    ]);
    expect(await send('POST', `${COMPAT}/threads/adas/runs`, make, eve)).toMatchObject(refused);
  });

  it.each(['service:run:create', 'service:thread:create'])(
    'makes no thread where %s is denied',
    async (operation) => {
      isPermitted = denies(operation);
      const make = { if_not_exists: 'create' };
      expect(await send('POST', `${COMPAT}/threads/none/runs`, make)).toMatchObject(refused);
      await expect(service.engine.threads.ownerOf('none' as ThreadId)).rejects.toMatchObject({
        code: 'thread_not_found',
      });
    },
  );

  it('of an agent that does not exist is denied as any other', async () => {
    isPermitted = () => false;
    for (const [path, name] of [
      ['/runs', 'agent_id'],
      [`${COMPAT}/runs`, 'assistant_id'],
    ] as const) {
      for (const agent of ['echo', 'none']) {
        expect(await send('POST', path, { [name]: agent })).toMatchObject(refused);
      }
    }
    isPermitted = () => true;
    const none = await send('POST', `${COMPAT}/runs`, { assistant_id: 'none' });
    expect(none).toMatchObject({ status: 404, code: 'agent_not_found' });
  });
});

describe('what an idempotency key has made', () => {
  it.each([
    ['/threads', {}],
    ['/threads', { thread_id: 'named' }],
    ['/threads/adas/copy', {}],
    ['/threads/adas/copy', { thread_id: 'copied' }],
    ['/threads/adas/runs', {}],
    ['/runs', {}],
    [`${COMPAT}/runs`, {}],
  ])('is for callers that may read it now: POST %s %j', async (path, body) => {
    const key = { 'Idempotency-Key': 'key', 'X-Realm': 'one' };
    const made = await send('POST', path, body, key);
    // The same name in another realm, which may make things, and read none of the first one's.
    isPermitted = ({ principal, operation }) =>
      principal.claims['mrealm'] === 'one' || !operation.endsWith(':read');
    expect(await send('POST', path, body, { ...key, 'X-Realm': 'two' })).toMatchObject(refused);
    expect(await send('POST', path, body, key)).toMatchObject({ status: made.status });
  });
});

it.each([
  ['/threads', 'service:thread:create'],
  ['/threads/adas/copy', 'service:thread:create'],
  ['/threads/adas/copy', 'service:thread:copy'],
])('a key is not kept for what is denied: POST %s without %s', async (path, operation) => {
  const { engine } = service;
  const { threads } = engine;
  const reserve = threads.reserveIdempotencyKey.bind(threads);
  let marks = 0;
  threads.reserveIdempotencyKey = (...mark) => {
    marks += 1;
    return reserve(...mark);
  };
  const post = () => send('POST', path, { thread_id: 'named' }, { 'Idempotency-Key': 'key' });
  isPermitted = denies(operation);
  expect(await post()).toMatchObject(refused);
  expect(marks).toBe(0);
  isPermitted = () => true;
  expect([(await post()).status, marks]).toEqual([201, 1]);
});

describe('lists', () => {
  it('have no runs that may not be read', async () => {
    await send('POST', '/threads/adas/runs', {});
    isPermitted = denies('service:run:read', 'mrn:service:run:adas_*');
    const { text, headers } = await send('GET', '/threads/adas/runs');
    expect([text, headers.get('x-pagination-total')]).toEqual(['[]', '0']);
    expect((await send('GET', `${COMPAT}/threads/adas/runs`)).text).toBe('[]');
  });

  it('have no agents that the policy fails about', async () => {
    isPermitted = ({ operation }) => {
      if (operation === 'service:agent:read') throw new Error('no policy today');
      return true;
    };
    expect((await send('GET', '/agents')).text).toBe('[]');
  });
});

describe('LangGraph’s API', () => {
  it('reveals nothing of a thread whose metadata is not changed', async () => {
    isPermitted = ownerOnly;
    const minimal = { Prefer: 'return=minimal', 'X-Sub': 'eve' };
    const path = `${COMPAT}/threads/adas`;
    expect(await send('PATCH', path, { metadata: {} }, minimal)).toMatchObject(refused);
  });

  it('denies an assistant that does not exist as any other', async () => {
    isPermitted = () => false;
    for (const name of ['echo', 'none']) {
      expect(await send('GET', `${COMPAT}/assistants/${name}`)).toMatchObject(refused);
    }
  });

  it('asks about the stream of a thread once, however often it looks', async () => {
    const { engine } = service;
    const list = engine.runs.list.bind(engine.runs);
    let looks = 0;
    engine.runs.list = (...asked) => {
      looks += 1;
      return list(...asked);
    };
    const end = new AbortController();
    const signal = end.signal;
    const headers = { 'X-Sub': 'ada' };
    const open = await fetch(`${service.url}${COMPAT}/threads/adas/stream`, { headers, signal });
    await waitUntil('the third look', 10_000, () => looks >= 3);
    end.abort();
    expect(open.status).toBe(200);
    expect(asked).toEqual(['service:run:list ada', 'service:run:read ada']);
  });
});

it('an imported thread is asked about as its importer’s', async () => {
  const headers = { 'X-Sub': 'eve' };
  await fetch(`${service.url}/bundles`, { method: 'POST', body: 'imported', headers });
  expect(asked).toEqual(['service:bundle:import -', 'service:thread:create eve']);
});
