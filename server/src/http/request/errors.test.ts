import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HttpService } from '../../../test/fixtures/http-service.ts';
import { call } from '../../../test/fixtures/call.ts';
import { startHttpService } from '../../../test/fixtures/http-service.ts';
import type { ThreadId } from '../../model/ids.ts';

const LIMIT = 64 * 1024;

let service: HttpService;
beforeAll(async () => {
  service = await startHttpService({ bodyLimitBytes: LIMIT });
  await service.engine.threads.create('t' as ThreadId, {});
});
afterAll(() => service.close());

async function send(
  method: string,
  path: string,
  body?: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = { 'Content-Type': 'application/json' },
): Promise<{ status: number; code: unknown; allow: string | null }> {
  const init = body === undefined ? {} : { body };
  const response = await fetch(`${service.url}${path}`, { method, headers, ...init });
  const text = await response.text();
  const parsed = text === '' ? {} : (JSON.parse(text) as { code?: unknown });
  return { status: response.status, code: parsed.code, allow: response.headers.get('allow') };
}

describe('bodies', () => {
  const deep = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

  it.each([
    ['malformed', '{"thread_id":'],
    ['an array', '[]'],
    ['null', 'null'],
    ['a string', '"x"'],
    ['a number', '1'],
    ['trailing text', '{} x'],
    ['a lone comma', '{,}'],
    ['nested too deep', `{"metadata":${deep(600)}}`],
    ['nested much too deep', `{"metadata":${'['.repeat(20_000)}${']'.repeat(20_000)}}`],
    ['not UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ])('responds with 400 for a body that is %s', async (_what, body) => {
    for (const path of ['/threads', '/threads/t/runs', '/runs', '/runs/wait', '/runs/stream']) {
      expect(await send('POST', path, body)).toMatchObject({
        status: 400,
        code: 'invalid_request',
      });
    }
  });

  it('takes honest depth, a byte order mark, prototype keys and odd characters', async () => {
    const bodies = [
      `{"metadata":${deep(100)}}`,
      '\uFEFF{"metadata":{}}',
      '{"metadata":{"__proto__":"x","constructor":"y","toString":{"a":1}}}',
      '{"__proto__":{"thread_id":"x y"}}',
      '{"metadata":{"\\u0000":"\\u0000","\\ud800":"lone","":"empty"}}',
    ];
    for (const body of bodies) {
      expect([body, await send('POST', '/threads', body)]).toMatchObject([body, { status: 201 }]);
    }
    const run = '{"input":{"__proto__":1,"a\\"}{":"\\\\","\\u0000":[]}}';
    expect(await send('POST', '/threads/t/runs', run)).toMatchObject({ status: 202 });
  });

  it('responds with 413 for a body over the limit, with and without its length', async () => {
    const body = JSON.stringify({ metadata: { big: 'x'.repeat(LIMIT) } });
    expect(await send('POST', '/threads', body)).toMatchObject({
      status: 413,
      code: 'payload_too_large',
    });
    const response = await fetch(`${service.url}/threads`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: new Blob([body]).stream(),
      // Node's fetch wants it for streamed bodies; the DOM's types do not know it.
      ...({ duplex: 'half' } as object),
    });
    expect([response.status, await response.json()]).toMatchObject([
      413,
      { code: 'payload_too_large' },
    ]);
  });

  it.each([
    ['a form', { 'Content-Type': 'application/x-www-form-urlencoded' }],
    ['text', { 'Content-Type': 'text/plain' }],
    ['another charset', { 'Content-Type': 'application/json; charset=utf-16' }],
    ['an unknown encoding', { 'Content-Type': 'application/json', 'Content-Encoding': 'zip' }],
  ])('responds with 415 for %s', async (_what, headers) => {
    expect(await send('POST', '/threads', '{}', headers)).toMatchObject({
      status: 415,
      code: 'unsupported_media_type',
    });
  });

  it('responds with 400 for a body that does not match its Content-Encoding', async () => {
    const headers = { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' };
    expect(await send('POST', '/threads', '{}', headers)).toMatchObject({ status: 400 });
  });

  it('names issues also where the request cannot be read at all', async () => {
    const { status, body } = await call(`${service.url}/threads/%ff`, 'GET');
    expect([status, body]).toMatchObject([
      400,
      { metadata: { issues: [{ path: '', message: 'The request cannot be read.' }] } },
    ]);
  });

  it('takes an empty body as none', async () => {
    expect(await send('POST', '/threads', '')).toMatchObject({ status: 201 });
    expect(await send('PATCH', '/threads/t', '')).toMatchObject({ status: 400 });
  });
});

describe('paths and methods', () => {
  it.each([
    ['GET', '/nowhere'],
    ['GET', '/'],
    ['GET', '/Threads'],
    ['POST', '/threads/t/runs/x/y/z'],
    ['GET', '//threads'],
  ])('responds with 404 for %s %s', async (method, path) => {
    expect(await send(method, path)).toMatchObject({ status: 404, code: 'route_not_found' });
  });

  it.each([
    ['GET', '/threads', 'POST'],
    ['PUT', '/threads/t', 'GET, HEAD, PATCH, DELETE'],
    ['DELETE', '/threads/t/runs', 'POST, GET, HEAD'],
    ['POST', '/agents', 'GET, HEAD'],
    ['PATCH', '/runs/wait', 'POST'],
    ['POST', '/health', 'GET, HEAD'],
  ])('responds with 405 and Allow for %s %s', async (method, path, allow) => {
    const response = { status: 405, code: 'method_not_allowed', allow };
    expect(await send(method, path)).toEqual(response);
  });

  it('responds to OPTIONS with Allow', async () => {
    expect(await send('OPTIONS', '/threads')).toMatchObject({ status: 204, allow: 'POST' });
  });

  it('responds to odd paths with a documented error', async () => {
    const odd = ['%', '%zz', '%c0%80', '%2e%2e%2f', '%00', 'a%0d%0ab', '__proto__', 'constructor'];
    for (const id of [...odd, 'x'.repeat(10_000)]) {
      for (const path of [
        `/threads/${id}`,
        `/runs/${id}`,
        `/agents/${id}`,
        `/threads/t/runs/${id}`,
      ]) {
        const { status, code } = await send('GET', path);
        expect([path, status, code]).toEqual([path, expect.any(Number), expect.any(String)]);
        expect([400, 404]).toContain(status);
      }
    }
  });

  it('responds to odd queries with a documented error or ignores them', async () => {
    for (const query of ['limit=%', 'limit[]=1', 'limit[a]=1', '__proto__=1', '&&&', 'a=%00']) {
      const { status } = await send('GET', `/threads/t/runs?${query}`);
      expect([query, status]).toEqual([query, query === 'limit=%' ? 400 : 200]);
    }
    for (const value of ['yes', '', '1', 'true&subgraphs=false']) {
      expect(await send('GET', `/threads/t/state?subgraphs=${value}`)).toMatchObject({
        status: 200,
      });
    }
  });
});

describe('raw connections', () => {
  async function raw(text: string): Promise<string> {
    const { port } = new URL(service.url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.setEncoding('utf8');
    socket.write(text);
    let response = '';
    for await (const chunk of socket) {
      response += String(chunk);
      if (response.includes('\r\n\r\n')) break;
    }
    socket.destroy();
    return response;
  }

  it('takes no notice of an expectation that it does not know', async () => {
    const host = new URL(service.url).host;
    const response = await raw(
      `GET /health HTTP/1.1\r\nHost: ${host}\r\nExpect: more\r\nConnection: close\r\n\r\n`,
    );
    expect(response).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('responds to what is no HTTP, and to headers that are too large', async () => {
    expect(await raw('hello\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /);
    const huge = `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`;
    expect(await raw(huge)).toMatch(/^HTTP\/1\.1 431 /);
  });
});

describe('headers and failures', () => {
  it('takes over a request id, and makes one when it is unusable', async () => {
    const given = await call(`${service.url}/live`, 'GET', undefined, { 'X-Request-Id': 'abc-1' });
    expect(given.headers.get('x-request-id')).toBe('abc-1');
    expect(given.headers.get('x-service-version')).toBe('0.0.0-test');
    const bad = await call(`${service.url}/live`, 'GET', undefined, { 'X-Request-Id': 'a b' });
    expect(bad.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('responds with 503 and Retry-After while the engine is unavailable', async () => {
    service.engine.isUp = false;
    const response = await call(`${service.url}/threads/t`);
    const health = await call(`${service.url}/health`);
    service.engine.isUp = true;
    expect([response.status, response.body]).toMatchObject([503, { code: 'engine_unavailable' }]);
    expect(response.headers.get('retry-after')).toBe('1');
    expect([health.status, health.body]).toEqual([
      503,
      {
        status: 'failing',
        version: '0.0.0-test',
        components: {
          engine: { status: 'failing', message: 'it does not answer' },
          guest: { status: 'ok' },
          store: { status: 'off' },
        },
      },
    ]);
  });

  it('hides unexpected errors, and logs each once with its cause', async () => {
    const { threads } = service.engine;
    const read = threads.read.bind(threads);
    threads.read = () => Promise.reject(new TypeError('secret detail'));
    const response = await call(`${service.url}/threads/t`);
    threads.read = read;
    const requestId = response.headers.get('x-request-id');
    expect([response.status, response.body]).toEqual([
      500,
      {
        code: 'internal',
        message: 'Something unforeseen happened.',
        detail: 'Something unforeseen happened.',
        metadata: { request_id: requestId },
      },
    ]);
    const lines = service.logged.filter(({ msg }) => msg === 'request failed');
    expect(lines).toMatchObject([{ request_id: requestId, err: { message: 'secret detail' } }]);
  });

  it('writes one access line per request', async () => {
    const response = await call(`${service.url}/threads/nobody`);
    const requestId = response.headers.get('x-request-id');
    const lines = service.logged.filter((line) => line['request_id'] === requestId);
    expect(lines).toMatchObject([
      { msg: 'request', method: 'GET', path: '/threads/nobody', status: 404, sub: 'anonymous' },
    ]);
  });
});
