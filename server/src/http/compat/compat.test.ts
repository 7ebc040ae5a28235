import { afterEach, expect, it } from 'vitest';
import { ServiceError } from '../../errors/service-error.ts';
import { startHttpService, type HttpService } from '../../../test/fixtures/http-service.ts';

let service: HttpService;
afterEach(() => service.close());

const at = (path: string): string => `${service.url}/compat/langgraph${path}`;

async function codeOf(response: Response): Promise<[number, unknown]> {
  const { code } = (await response.json()) as { code?: unknown };
  return [response.status, code];
}

it('asks for credentials as everywhere, but for /ok and /info', async () => {
  service = await startHttpService({
    authenticator: {
      authenticate: () => Promise.reject(new ServiceError('unauthenticated', 'Who are you?')),
    },
  });
  expect((await fetch(at('/ok'))).status).toBe(200);
  expect((await fetch(at('/info'))).status).toBe(200);
  for (const [method, path] of [
    ['POST', '/assistants/search'],
    ['POST', '/threads'],
    ['GET', '/threads/t/state'],
    ['POST', '/runs/stream'],
    ['PUT', '/store/items'],
  ] as const) {
    expect(await codeOf(await fetch(at(path), { method }))).toEqual([401, 'unauthenticated']);
  }
});

it('reports what is not supported', async () => {
  service = await startHttpService();
  const missing = await fetch(at('/ui/echo'), { method: 'POST' });
  expect(await codeOf(missing)).toEqual([404, 'route_not_found']);
  const state = await fetch(at('/threads/t/state'), { method: 'PUT' });
  expect([state.status, state.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
});

it('treats answers that are no list as a wrong request', async () => {
  service = await startHttpService();
  const headers = { 'Content-Type': 'application/json' };
  const batch = { method: 'POST', headers, body: '{"assistant_id":"a"}' };
  expect(await codeOf(await fetch(at('/runs/batch'), batch))).toEqual([422, 'invalid_request']);
});

it('holds a run back by after_seconds', async () => {
  service = await startHttpService();
  const post = async (path: string, body: object): Promise<Response> =>
    fetch(at(path), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  await post('/threads', { thread_id: 't' });
  const run = { assistant_id: 'echo', multitask_strategy: 'enqueue' };
  const statusOf = async (seconds: number | null): Promise<unknown> => {
    const response = await post('/threads/t/runs', { ...run, after_seconds: seconds });
    return ((await response.json()) as { status?: unknown }).status;
  };
  expect([await statusOf(60), await statusOf(-1)]).toEqual(['pending', 'running']);
  const late = await post('/threads/t/runs', { ...run, after_seconds: 1e12 });
  expect(await codeOf(late)).toEqual([422, 'invalid_request']);
});

it("refuses names that are LangGraph's own, but for what a RemoteGraph sends along", async () => {
  service = await startHttpService();
  let seen: unknown;
  service.engine.onRun = (_, run) => (seen = run.config);
  const create = async (body: object): Promise<Response> =>
    fetch(at('/runs'), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ assistant_id: 'echo', input: {}, ...body }),
    });
  const own = { __pregel_send: 1 };
  for (const body of [{ config: { configurable: own } }, { context: own }]) {
    expect(await codeOf(await create(body))).toEqual([422, 'invalid_request']);
  }
  const along = { __pregel_resuming: true, __pregel_durability: 'sync', __pregel_resume_map: {} };
  expect((await create({ config: { configurable: { mine: 1, ...along } } })).status).toBe(200);
  expect(seen).toEqual({ configurable: { mine: 1 } });
});
