import { afterEach, describe, expect, it } from 'vitest';
import { call } from '../../../test/fixtures/call.ts';
import { startHttpService, type HttpService } from '../../../test/fixtures/http-service.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { AppOptions } from '../app.ts';

const page = 'https://app.example.org';
const RUN = '0190b3c4-0000-7000-8000-000000000000';

let service: HttpService | undefined;
afterEach(() => service?.close());

async function ask(
  method: string,
  path: string,
  headers: Record<string, string>,
  options: Partial<AppOptions> = { allowedOrigins: [page, 'http://localhost:3000'] },
) {
  service ??= await startHttpService(options);
  const response = await fetch(`${service.url}${path}`, { method, headers });
  await response.arrayBuffer();
  const cors = [...response.headers].filter(([name]) => name.startsWith('access-control-'));
  return { status: response.status, cors: Object.fromEntries(cors), headers: response.headers };
}
afterEach(() => (service = undefined));

const exposed =
  'X-Pagination-Total, X-Pagination-Next, Location, Content-Location, Retry-After, WWW-Authenticate, X-Request-Id, X-Service-Version';
const preflight = {
  'access-control-request-method': 'PATCH',
  'access-control-request-headers': 'authorization,content-type',
};

describe('an allowed origin', () => {
  it('may call, and read the pagination headers', async () => {
    const { status, cors, headers } = await ask('GET', '/agents', { origin: page });
    expect({ status, cors }).toEqual({
      status: 200,
      cors: {
        'access-control-allow-origin': page,
        'access-control-expose-headers': exposed,
      },
    });
    expect(headers.get('vary')).toBe('Origin');
  });

  it('gets its preflight response without credentials', async () => {
    const { status, cors } = await ask('OPTIONS', '/threads/t', { origin: page, ...preflight });
    expect({ status, cors }).toEqual({
      status: 204,
      cors: {
        'access-control-allow-origin': page,
        'access-control-expose-headers': exposed,
        'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
        'access-control-allow-headers': 'authorization,content-type',
        'access-control-max-age': '600',
      },
    });
  });

  it('sees why it was refused', async () => {
    const authenticator = {
      authenticate() {
        throw new ServiceError('unauthenticated', 'A bearer token is needed.');
      },
    };
    const options = { authenticator, allowedOrigins: [page] };
    const asked = await ask('GET', '/agents', { origin: page }, options);
    expect([asked.status, asked.cors['access-control-allow-origin']]).toEqual([401, page]);
    const before = await ask('OPTIONS', '/agents', { origin: page, ...preflight });
    expect(before.status).toBe(204);
  });

  it('is every one with *', async () => {
    const { cors, headers } = await ask(
      'GET',
      '/agents',
      { origin: 'https://any.example' },
      { allowedOrigins: ['*'] },
    );
    expect(cors['access-control-allow-origin']).toBe('*');
    expect(headers.get('vary')).toBeNull();
  });
});

describe('another origin', () => {
  it.each([`${page}.evil.example`, 'http://app.example.org', `${page}:8443`, 'null'])(
    'gets no leave: %s',
    async (origin) => {
      expect((await ask('GET', '/agents', { origin })).cors).toEqual({});
      const before = await ask('OPTIONS', '/threads/t', { origin, ...preflight });
      expect(before.cors).toEqual({});
    },
  );

  it('gets none by default', async () => {
    expect((await ask('GET', '/agents', { origin: page }, {})).cors).toEqual({});
  });

  it('changes nothing, not even by what a browser sends without asking', async () => {
    service = await startHttpService({ allowedOrigins: [page] });
    const headers = { origin: 'http://192.0.2.7:8090' };
    for (const path of [
      '/threads',
      '/runs',
      '/runs/stream',
      '/bundles',
      '/compat/langgraph/threads',
    ]) {
      const response = await fetch(service.url + path, { method: 'POST', headers });
      const seen = [response.status, await response.json()];
      expect([path, ...seen]).toMatchObject([path, 403, { code: 'origin_not_allowed' }]);
    }
    const { body } = await call(`${service.url}/threads/search`, 'POST', {});
    expect(body).toEqual([]);
  });

  it('changes nothing with * either, where only the browser indicates one', async () => {
    const headers = { 'sec-fetch-site': 'cross-site' };
    expect((await ask('POST', '/threads', headers, { allowedOrigins: ['*'] })).status).toBe(403);
  });

  const join = `/compat/langgraph/threads/t/runs/${RUN}`;
  const item = '/store/items?namespace=a&key=k';

  it.each([
    ['cancels no run', `${join}/join?cancel_on_disconnect=true`],
    ['cancels no run that it streams', `${join}/stream?cancel_on_disconnect=1`],
    ['keeps no item alive', item],
    ['keeps no item of LangGraph alive', `/compat/langgraph${item}`],
    ['keeps none alive by asking for it', `/compat/langgraph${item}&refresh_ttl=True`],
  ])('changes nothing by a GET either: %s', async (_, path) => {
    const image = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' };
    for (const method of ['GET', 'HEAD']) {
      expect((await ask(method, path, image, { allowedOrigins: [page] })).status).toBe(403);
    }
    const own = { 'sec-fetch-site': 'same-origin' };
    expect((await ask('GET', path, own)).status).toBe(404);
    expect((await ask('GET', path, { ...image, origin: page })).status).toBe(404);
  });

  it.each([
    ['waits', `${join}/join?cancel_on_disconnect=false`],
    ['reads events', `${join}/stream`],
    ['reads an item and leaves its time', `/compat/langgraph${item}&refresh_ttl=false`],
  ])('may send a GET that %s, as any other', async (_, path) => {
    expect((await ask('GET', path, { 'sec-fetch-site': 'cross-site' }, {})).status).toBe(404);
  });

  it.each(['GET', 'HEAD', 'OPTIONS'])(
    'may send %s, whose response its browser hides from it',
    async (method) => {
      const headers = { origin: page, 'sec-fetch-site': 'cross-site' };
      const { status, cors } = await ask(method, '/agents', headers, {});
      expect([status, cors]).toEqual([method === 'OPTIONS' ? 204 : 200, {}]);
    },
  );
});

it('pages of the service itself, of allowed origins, and programs change what they like', async () => {
  service = await startHttpService({ allowedOrigins: [page] });
  for (const headers of [{ origin: service.url }, { origin: page }, {}]) {
    const response = await fetch(`${service.url}/threads`, { method: 'POST', headers });
    expect(response.status).toBe(201);
  }
});
