// What the handlers of a manifest's `auth` decide, on every route: as attacks of another user.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';

import { startHttpService, type HttpService } from '../../../test/fixtures/http-service.ts';
import { createManifestAuthenticator, type UserPort } from '../../auth/manifest-auth.ts';
import { routes } from '../../contract/routes.ts';
import { ServiceError } from '../../errors/service-error.ts';
import {
  createHandlerPolicy,
  type HandlerResult,
  type HandlerPort,
  type HandlerQuestion,
} from '../../policy/handler-policy.ts';
import { protocolContracts } from '../agent-protocol/protocol-routes.ts';
import { compatContracts } from '../compat/compat-routes.ts';

const RUN = '00000000-0000-7000-8000-000000000000';
const THREAD = '00000000-0000-7000-8000-00000000000a';

/** As the tutorial has it: the token is the name, everything belongs to who made it. */
const users: UserPort = {
  async authenticate({ headers }) {
    const [token] = headers['authorization'] ?? [];
    if (token === undefined) return { kind: 'refused', status: 401, detail: 'Who?' };
    return { kind: 'user', user: { identity: token, permissions: [] } };
  },
};
const ownerOnly = async ({ user, value }: HandlerQuestion): Promise<HandlerResult> => {
  const owner = { owner: user['identity'] };
  const metadata = { ...(value['metadata'] as object | undefined), ...owner };
  return { kind: 'permitted', value: { ...value, metadata }, filter: owner };
};

let authorize: HandlerPort['authorize'] = ownerOnly;
let asked: HandlerQuestion[] = [];
let service: HttpService;
beforeAll(async () => {
  service = await startHttpService({
    authenticator: createManifestAuthenticator(users),
    policy: createHandlerPolicy({
      authorize(question) {
        asked.push(question);
        return authorize(question);
      },
    }),
  });
  await as('alice', 'POST', '/threads', { thread_id: THREAD, metadata: { k: 'v', owner: 'bob' } });
});
afterAll(() => service.close());
beforeEach(() => {
  authorize = ownerOnly;
  asked = [];
});

/** A request as a user; also responses that the contract does not have, such as a handler's own status. */
async function as(who: string | undefined, method: string, path: string, body?: unknown) {
  const response = await fetch(`${service.url}${path}`, {
    method,
    headers: {
      ...(who !== undefined && { authorization: who }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const { status, headers } = response;
  const text = await response.text();
  return {
    status,
    headers,
    text,
    body: text.startsWith('{') || text.startsWith('[') ? (JSON.parse(text) as unknown) : text,
  };
}

const all = [...routes, ...compatContracts, ...protocolContracts].map(
  ({ method, path, isPublic, body }) => ({
    method: method.toUpperCase(),
    path: path
      .replace('{thread_id}', THREAD)
      .replaceAll('{run_id}', path.startsWith('/runs') ? `${THREAD}_${RUN}` : RUN)
      .replaceAll(/\{\w+\}/g, 'x'),
    isPublic: isPublic === true,
    body: body ? {} : undefined,
  }),
);
const closed = all.filter(({ isPublic }) => !isPublic);

it('looks at routes of both kinds', () => {
  expect(closed.length).toBeGreaterThan(60);
  expect(closed.filter(({ path }) => path.includes(THREAD)).length).toBeGreaterThan(30);
});

it('no route but the public ones responds without credentials', async () => {
  for (const { method, path, body } of closed) {
    const { status } = await as(undefined, method, path, body);
    expect([status, path]).toEqual([401, path]);
  }
});

it('no route of a thread reveals anything about another user’s', async () => {
  for (const { method, path, body } of closed.filter((one) => one.path.includes(THREAD))) {
    const { status, text } = await as('bob', method, path, body ?? undefined);
    // 400, 422: the body is looked at first; nothing is known of the thread by then. 501: nor is it ever.
    expect([path, [400, 404, 422, 501].includes(status)]).toEqual([path, true]);
    expect(text).not.toContain('alice');
  }
  const mine = await as('alice', 'GET', `/threads/${THREAD}`);
  expect(mine.body).toMatchObject({ metadata: { k: 'v', owner: 'alice' } });
});

it('another user’s thread and none cannot be distinguished', async () => {
  const none = THREAD.replace(/a$/, 'b');
  for (const path of ['', '/state', '/history', '/runs', `/runs/${RUN}`]) {
    const [theirs, missing] = await Promise.all(
      [THREAD, none].map((id) => as('bob', 'GET', `/threads/${id}${path}`)),
    );
    const withoutIds = (text = '') =>
      text.replaceAll(none, THREAD).replace(/"request_id":"[^"]+"/, '');
    expect([path, theirs?.status, withoutIds(theirs?.text)]).toEqual([
      path,
      missing?.status,
      withoutIds(missing?.text),
    ]);
  }
});

it.each(['/threads/search', '/compat/langgraph/threads/search'])(
  'searches of %s find what is one’s own, also their totals',
  async (path) => {
    for (const body of [{}, { metadata: { owner: 'alice' } }, { ids: [THREAD] }]) {
      const found = await as('bob', 'POST', path, body);
      expect([found.status, found.text, found.headers.get('x-pagination-total')]).toEqual([
        200,
        '[]',
        '0',
      ]);
    }
    const mine = await as('alice', 'POST', path, {});
    expect(mine.body).toHaveLength(1);
  },
);

it('counts nothing of another user', async () => {
  expect((await as('bob', 'POST', '/compat/langgraph/threads/count', {})).text).toBe('0');
  expect((await as('alice', 'POST', '/compat/langgraph/threads/count', {})).text).toBe('1');
});

it('takes what a handler stamps on a change', async () => {
  const body = { metadata: { owner: 'bob', z: '1' } };
  const { body: changed } = await as('alice', 'PATCH', `/threads/${THREAD}`, body);
  expect(changed).toMatchObject({ metadata: { owner: 'alice', z: '1' } });
});

it.each<[string, HandlerPort['authorize'], number, string]>([
  [
    'refuses',
    async () => ({ kind: 'refused', status: 403, detail: 'no' }),
    403,
    'permission_denied',
  ],
  [
    'refuses as missing',
    async () => ({ kind: 'refused', status: 404, detail: '' }),
    404,
    'auth_refused',
  ],
  ['fails', async () => ({ kind: 'failed', message: 'KeyError' }), 500, 'auth_failed'],
  [
    'returns a filter that is none',
    async ({ value }) => ({ kind: 'permitted', value, filter: { owner: { $like: '%' } } }),
    500,
    'auth_failed',
  ],
  [
    'does not respond',
    async () => Promise.reject(new ServiceError('auth_unavailable', 'late')),
    503,
    'auth_unavailable',
  ],
  [
    'throws an unexpected error',
    async () => Promise.reject(new Error('boom')),
    403,
    'permission_denied',
  ],
])('nothing is done where the handler %s', async (_, handler, status, code) => {
  authorize = handler;
  for (const { method, path, body } of closed.filter((one) =>
    one.path.includes(`${THREAD}/state`),
  )) {
    const response = await as('alice', method, path, body);
    if ([400, 422].includes(response.status)) continue;
    expect([path, response.status, (response.body as { code: string }).code]).toEqual([
      path,
      status,
      code,
    ]);
  }
  const created = await as('alice', 'DELETE', `/threads/${THREAD}`);
  expect(created.status).toBe(status);
});

it('asks in the words of LangGraph', async () => {
  await as('alice', 'GET', `/threads/${THREAD}`);
  await as('alice', 'POST', `/threads/${THREAD}/runs`, { input: {}, metadata: { a: 1 } });
  const [read, run] = asked;
  expect(read).toEqual({
    user: { identity: 'alice', permissions: [] },
    resource: 'threads',
    action: 'read',
    value: { thread_id: THREAD },
  });
  expect(run).toMatchObject({
    action: 'create_run',
    value: { thread_id: THREAD, metadata: { a: 1 }, status: 'pending' },
  });
});

it('a stateless run is seen by who made it alone', async () => {
  const made = await as('alice', 'POST', '/runs', { input: {} });
  const { run_id: id } = made.body as { run_id: string };
  expect((await as('alice', 'GET', `/runs/${id}`)).status).toBe(200);
  for (const path of ['', '/wait', '/stream']) {
    expect((await as('bob', 'GET', `/runs/${id}${path}`)).status).toBe(404);
  }
});

it('crons are asked about as LangGraph’s, and their runs as those of who made them', async () => {
  const crons = '/compat/langgraph/runs/crons';
  const cron = { assistant_id: 'echo', schedule: '0 0 1 1 *', input: { secret: 1 } };
  const made = await as('alice', 'POST', crons, { ...cron, metadata: { owner: 'bob', k: 'v' } });
  const { cron_id: id } = made.body as { cron_id: string };
  expect(made.body).toMatchObject({ user_id: 'alice', metadata: { owner: 'alice', k: 'v' } });
  expect(asked).toMatchObject([
    { resource: 'crons', action: 'create', user: { identity: 'alice' } },
  ]);
  expect(asked[0]?.value).toMatchObject({ cron_id: id, schedule: cron.schedule, thread_id: null });
  expect(JSON.stringify(asked)).not.toContain('secret');
  for (const [method, body] of [['GET'], ['PATCH', { enabled: false }], ['DELETE']] as const) {
    expect((await as('bob', method, `${crons}/${id}`, body)).status).toBe(404);
  }
  expect((await as('bob', 'POST', `${crons}/search`, {})).body).toEqual([]);
  expect((await as('bob', 'POST', `${crons}/count`, {})).text).toBe('0');
  const patched = await as('alice', 'PATCH', `${crons}/${id}`, { metadata: { owner: 'bob' } });
  expect(patched.body).toMatchObject({ enabled: true, metadata: { owner: 'alice' } });
  const known = await service.crons.read(id);
  if (known?.nextAt === undefined) throw new Error('It is not enabled.');
  const due = { cron: { ...known, nextAt: known.nextAt }, at: known.nextAt };
  asked = [];
  await service.fireCron(due);
  expect(asked).toMatchObject([{ action: 'create_run', user: { identity: 'alice' } }]);
  authorize = async () => ({ kind: 'refused', status: 403, detail: 'Not any more.' });
  const refused = service.fireCron({ ...due, at: due.at + 1 });
  await expect(refused).rejects.toMatchObject({ code: 'permission_denied' });
});
