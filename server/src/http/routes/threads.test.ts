import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ThreadId } from '../../model/ids.ts';
import { jsonText } from '../../model/json.ts';
import { SEARCH_IDS } from '../../model/limits/search-limits.ts';
import { type HttpService, startHttpService } from '../../../test/fixtures/http-service.ts';
import { call } from '../../../test/fixtures/call.ts';

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

let service: HttpService;
beforeAll(async () => {
  service = await startHttpService();
});
afterAll(() => service.close());

const post = (path: string, body?: unknown) => call(`${service.url}${path}`, 'POST', body);
const get = (path: string) => call(`${service.url}${path}`);

describe('POST /threads', () => {
  it('creates an idle thread with a generated id when there is no body', async () => {
    const response = await post('/threads');
    expect(response.status).toBe(201);
    expect(response.body).toEqual({
      thread_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/),
      status: 'idle',
      created_at: TIME,
      updated_at: TIME,
      metadata: {},
    });
  });

  it('stores metadata values as strings', async () => {
    const metadata = { a: 'x', b: 1, c: true, d: { e: [1, 2] }, f: null, g: [] };
    const response = await post('/threads', { thread_id: 'strings', metadata });
    expect(response.body).toEqual({
      thread_id: 'strings',
      status: 'idle',
      created_at: TIME,
      updated_at: TIME,
      metadata: { a: 'x', b: '1', c: 'true', d: '{"e":[1,2]}', f: 'null', g: '[]' },
    });
  });

  it('responds with 409 for a taken id, and the existing thread with if_exists', async () => {
    await post('/threads', { thread_id: 'taken', metadata: { first: 'yes' } });
    const second = await post('/threads', { thread_id: 'taken' });
    expect([second.status, second.body]).toEqual([
      409,
      {
        code: 'thread_exists',
        message: 'A thread with the id taken exists.',
        detail: 'A thread with the id taken exists.',
        metadata: { request_id: second.headers.get('x-request-id') },
      },
    ]);
    const third = await post('/threads', { thread_id: 'taken', if_exists: 'do_nothing' });
    expect([third.status, third.body]).toMatchObject([200, { metadata: { first: 'yes' } }]);
    expect(third.body).not.toHaveProperty('values');
  });

  it.each(['', '.', '..', 'a b', 'a/b', 'ä', 'x'.repeat(201), '\u0000', 7, null, ['a']])(
    'responds with 400 for the thread id %j',
    async (threadId) => {
      const response = await post('/threads', { thread_id: threadId });
      expect([response.status, response.body]).toMatchObject([
        400,
        { code: 'invalid_request', metadata: { issues: [{ path: 'thread_id' }] } },
      ]);
    },
  );
});

describe('GET /threads/{thread_id}', () => {
  it('has the state values', async () => {
    await post('/threads', { thread_id: 'valued' });
    service.engine.saveCheckpoints('valued' as ThreadId, [{ values: jsonText('{"count":1.0}') }]);
    const response = await fetch(`${service.url}/threads/valued`);
    expect(await response.text()).toContain('"values":{"count":1.0}');
  });

  it('responds with 404 for a thread that does not exist, and 400 for what is no id', async () => {
    expect((await get('/threads/nobody')).body).toMatchObject({ code: 'thread_not_found' });
    expect((await get('/threads/a%20b')).status).toBe(400);
    expect((await get('/threads/%00')).status).toBe(400);
    expect((await get('/threads/%ff')).status).toBe(400);
    expect((await get(`/threads/${'x'.repeat(5000)}`)).status).toBe(400);
  });
});

describe('PATCH /threads/{thread_id}', () => {
  it('merges metadata and shows the zero time as created_at', async () => {
    await post('/threads', { thread_id: 'patched', metadata: { keep: 'me', change: 'x' } });
    const response = await call(`${service.url}/threads/patched`, 'PATCH', {
      metadata: { change: 2 },
    });
    expect([response.status, response.body]).toEqual([
      200,
      {
        thread_id: 'patched',
        status: 'idle',
        created_at: '0001-01-01T00:00:00Z',
        updated_at: TIME,
        metadata: { keep: 'me', change: '2' },
      },
    ]);
  });

  it.each([{}, { metadata: {} }, { metadata: 'x' }, { metadata: [] }, { metadata: null }])(
    'responds with 400 for %j',
    async (body) => {
      await post('/threads', { thread_id: 'patched', if_exists: 'do_nothing' });
      const response = await call(`${service.url}/threads/patched`, 'PATCH', body);
      expect([response.status, response.body]).toMatchObject([
        400,
        { code: 'invalid_request', metadata: { issues: [{ path: 'metadata' }] } },
      ]);
    },
  );
});

describe('DELETE /threads/{thread_id}', () => {
  it('responds with 204 and frees the id', async () => {
    await post('/threads', { thread_id: 'gone' });
    const response = await call(`${service.url}/threads/gone`, 'DELETE');
    expect([response.status, response.body]).toEqual([204, undefined]);
    expect((await get('/threads/gone')).status).toBe(404);
    expect((await post('/threads', { thread_id: 'gone' })).status).toBe(201);
  });
});

describe('POST /threads/search', () => {
  it.each([
    [SEARCH_IDS, 200],
    [SEARCH_IDS + 1, 400],
  ])('responds for %i ids with %i', async (count, status) => {
    const ids = Array.from({ length: count }, (_, index) => `none-${index}`);
    expect((await post('/threads/search', { ids })).status).toBe(status);
  });
});
