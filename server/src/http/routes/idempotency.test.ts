import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { call, type JsonResponse } from '../../../test/fixtures/call.ts';
import { startHttpService, type HttpService } from '../../../test/fixtures/http-service.ts';
import { IDEMPOTENCY_KEPT_MS } from '../../model/thread/idempotency.ts';
import type { ThreadId } from '../../model/ids.ts';
import { jsonText } from '../../model/json.ts';

let service: HttpService;
let threadId: ThreadId;
let count = 0;
beforeAll(async () => {
  service = await startHttpService({
    authenticator: {
      authenticate: async (headers) => {
        const [sub = 'anonymous'] = headers['x-sub'] ?? [];
        return { sub, mroles: [], claims: { sub } };
      },
    },
  });
});
afterAll(() => service.close());
afterEach(() => void vi.useRealTimers());
beforeEach(async () => {
  count += 1;
  threadId = `thread_${count}` as ThreadId;
  service.engine.onRun = () => {};
  await service.engine.threads.create(threadId, {});
});

function post(
  path: string,
  body: unknown,
  key: string,
  headers: Record<string, string> = {},
): Promise<JsonResponse> {
  return call(service.url + path, 'POST', body, { 'Idempotency-Key': key, ...headers });
}

const idOf = ({ body }: JsonResponse): unknown => {
  const { run_id: run, thread_id: thread } = body as Record<string, unknown>;
  return run ?? thread;
};
const codeOf = ({ body }: JsonResponse): unknown => (body as { code?: unknown }).code;

describe.each([
  ['/threads', { metadata: { a: '1' } }, 201],
  ['/threads', { thread_id: 'named', metadata: {} }, 201],
  ['/threads/{id}/copy', {}, 201],
  ['/threads/{id}/copy', { thread_id: 'copied' }, 201],
  ['/threads/{id}/runs', { input: {} }, 202],
  ['/runs', { input: {} }, 202],
])('POST %s %j', (template, body, status) => {
  const fresh = (): { path: string; key: string; body: Record<string, unknown> } => {
    const named = 'thread_id' in body ? { ...body, thread_id: `${body.thread_id}${count}` } : body;
    return { path: template.replace('{id}', threadId), key: `key-${count}`, body: named };
  };

  it('returns the same for the same request, one at a time and at once', async () => {
    const { path, key, body: same } = fresh();
    const first = await post(path, same, key);
    const more = await Promise.all([1, 2, 3].map(() => post(path, same, key)));
    expect([first, ...more].map((response) => response.status)).toEqual(Array(4).fill(status));
    expect(new Set([first, ...more].map(idOf)).size).toBe(1);
    expect(idOf(await post(path, {}, `${key}-other`))).not.toBe(idOf(first));
  });

  it('makes one when two requests come at once', async () => {
    const { path, key, body: same } = fresh();
    const [one, two] = await Promise.all([post(path, same, key), post(path, same, key)]);
    expect([one.status, two.status, idOf(two)]).toEqual([status, status, idOf(one)]);
  });

  it('responds with 409 for another body', async () => {
    const { path, key, body: same } = fresh();
    await post(path, same, key);
    const response = await post(path, { ...same, metadata: { other: 'x' } }, key);
    expect([response.status, codeOf(response)]).toEqual([409, 'idempotency_conflict']);
  });

  it.each(['', 'a b', 'ä', 'x'.repeat(256)])('responds with 400 for the key %j', async (key) => {
    const { path, body: same } = fresh();
    const latin = Buffer.from(key).toString('latin1');
    const response = await post(path, same, latin);
    expect([response.status, response.body]).toMatchObject([
      400,
      { code: 'invalid_request', metadata: { issues: [{ path: 'Idempotency-Key' }] } },
    ]);
  });
});

describe('an idempotency key', () => {
  it('belongs to a principal', async () => {
    const mine = await post('/runs', {}, 'shared', { 'X-Sub': 'me' });
    const yours = await post('/runs', {}, 'shared', { 'X-Sub': 'you' });
    expect(idOf(yours)).not.toBe(idOf(mine));
    expect(idOf(await post('/runs', {}, 'shared', { 'X-Sub': 'me' }))).toBe(idOf(mine));
  });

  it('belongs to an endpoint and its thread', async () => {
    await service.engine.threads.create(`${threadId}-b` as ThreadId, {});
    const ids = [
      await post(`/threads/${threadId}/runs`, {}, 'each'),
      await post(`/threads/${threadId}-b/runs`, {}, 'each'),
      await post('/runs', {}, 'each'),
      await post('/threads', {}, 'each'),
    ].map(idOf);
    expect(new Set(ids).size).toBe(4);
  });

  it('attaches a wait to the run, whatever its window', async () => {
    const path = `/threads/${threadId}/runs`;
    const elapsed = await post(`${path}?wait=10ms`, { input: {} }, 'waits');
    expect([elapsed.status, codeOf(elapsed)]).toEqual([504, 'wait_elapsed']);
    const { run_id: runId } = (elapsed.body as { metadata: { run_id: string } }).metadata;
    const second = post(`${path}?wait=30s`, { input: {} }, 'waits');
    const [run] = (await call(`${service.url}${path}`)).body as { run_id: string }[];
    expect(run?.run_id).toBe(runId);
    const runUuid = runId.slice(-36) as Parameters<typeof service.engine.endRun>[1];
    service.engine.endRun(threadId, runUuid, { status: 'completed', output: jsonText('{"a":1}') });
    expect(await second).toMatchObject({ status: 200, body: { run_id: runId, output: { a: 1 } } });
  });

  it('returns a run that has ended as it ended', async () => {
    service.engine.onRun = (id, { runUuid }) =>
      setImmediate(() =>
        service.engine.endRun(id, runUuid, { status: 'completed', output: jsonText('{}') }),
      );
    const first = await post('/runs/wait', { input: {} }, 'ended');
    const again = await post('/runs/wait?wait=0', { input: {} }, 'ended');
    expect([first.status, again.status, again.body]).toEqual([200, 200, first.body]);
  });

  it('does not make a thread that was there before its own', async () => {
    const body = { thread_id: threadId };
    for (const _ of [1, 2]) {
      const response = await post('/threads', body, `taken-${count}`);
      expect([response.status, codeOf(response)]).toEqual([409, 'thread_exists']);
    }
    expect(
      await post('/threads', { ...body, if_exists: 'do_nothing' }, `ok-${count}`),
    ).toMatchObject({ status: 200, body: { thread_id: threadId } });
  });

  it('is free again when what it made is deleted', async () => {
    const first = await post('/threads', { metadata: { a: '1' } }, 'deleted');
    await call(`${service.url}/threads/${String(idOf(first))}`, 'DELETE');
    const second = await post('/threads', { metadata: { b: '2' } }, 'deleted');
    expect([second.status, second.body]).toMatchObject([201, { metadata: { b: '2' } }]);
  });

  it('is free again after its time', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const first = await post('/threads', {}, 'old');
    vi.setSystemTime(Date.now() + IDEMPOTENCY_KEPT_MS + 1);
    const second = await post('/threads', { metadata: {} }, 'old');
    expect(second.status).toBe(201);
    expect(idOf(second)).not.toBe(idOf(first));
    expect(idOf(await post('/threads', { metadata: {} }, 'old'))).toBe(idOf(second));
  });

  it('is not asked for where nothing is created', async () => {
    const { runUuid } = { runUuid: String(idOf(await post(`/threads/${threadId}/runs`, {}, 'c'))) };
    const response = await post(`/runs/${runUuid}/cancel`, undefined, 'not a key');
    expect(response.status).toBe(202);
  });
});
