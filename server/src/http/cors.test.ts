import { afterEach, describe, expect, it } from 'vitest';
import { startHttpService, type HttpService } from '../../test/fixtures/http-service.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { AppOptions } from './app.ts';

const page = 'https://app.example.org';

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
  it('may call, and read what the pages of a list are told by', async () => {
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

  it('is answered before it sends, without credentials', async () => {
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
    const foreign = { origin: page, 'sec-fetch-site': 'cross-site' };
    expect((await ask('POST', '/threads', foreign, {})).status).toBe(403);
    expect((await ask('GET', '/agents', foreign, {})).status).toBe(200);
    const own = { origin: 'http://127.0.0.1', 'sec-fetch-site': 'same-origin' };
    expect((await ask('POST', '/threads', own, {})).status).toBe(201);
  });
});
