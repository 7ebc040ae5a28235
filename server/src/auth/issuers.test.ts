// Issuers that others wrote, against the authenticator behind a real listener. Both run in this process.
import { request } from 'node:http';
import pino from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { call, type JsonResponse } from '../../test/fixtures/call.ts';
import { startHttpService, type HttpService } from '../../test/fixtures/http-service.ts';
import {
  issuedRole,
  startMockIssuer,
  startOidcProvider,
  type MockIssuer,
} from '../../test/fixtures/issuers.ts';
import { routes } from '../contract/routes.ts';
import type { Principal } from '../model/principal.ts';
import type { Authenticator } from './authenticator.ts';
import { createAuthenticator } from './create-authenticator.ts';
import { createOidcAuthenticator } from './oidc.ts';

const issuers = { 'oidc-provider': startOidcProvider, 'oauth2-mock-server': startMockIssuer };

/** Longer than the time in which an unknown key does not make the service ask again. */
const patienceMs = 6_000;

const logger = pino({ enabled: false });
const audience = 'agents';

let close: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const one of close.reverse()) await one();
  close = [];
});

/** The authenticator as the service makes it. */
function authenticatorFor(issuer: string): Authenticator {
  return createAuthenticator({ auth: { kind: 'oidc', issuer, audience }, logger });
}

async function serve(authenticator: Authenticator): Promise<HttpService & { seen: Principal[] }> {
  const seen: Principal[] = [];
  const service = await startHttpService({
    authenticator,
    policy: {
      isPermitted({ principal }) {
        seen.push(principal);
        return true;
      },
    },
  });
  return { ...service, seen };
}

const bearer = (token: string, scheme = 'Bearer') => ({ authorization: `${scheme} ${token}` });

function agents(service: HttpService, headers: Record<string, string> = {}): Promise<JsonResponse> {
  return call(`${service.url}/agents`, 'GET', undefined, headers);
}

const invalid =
  'Bearer error="invalid_token", error_description="The access token is expired or not valid for this service."';

describe.each(Object.entries(issuers))('tokens of %s', (_, start) => {
  it('are taken for their audience, and followed when the keys rotate', async () => {
    const issuer = await start();
    close.push(() => issuer.close());
    let later = 0;
    const now = (): number => Date.now() + later;
    const service = await serve(
      createOidcAuthenticator({ issuer: issuer.url, audience, logger, now }),
    );
    close.push(() => service.close());
    const old = await issuer.token('agents');
    expect((await agents(service, bearer(old))).status).toBe(200);
    expect(service.seen.at(-1)).toMatchObject({ sub: 'robot', mroles: [issuedRole] });
    expect((await agents(service, bearer(await issuer.token('others')))).status).toBe(401);

    await issuer.rotate();
    const fresh = await issuer.token('agents');
    later = patienceMs;
    expect((await agents(service, bearer(fresh))).status).toBe(200);
    expect((await agents(service, bearer(old))).status).toBe(401);
  });
});

describe('what a client sees', () => {
  let issuer: MockIssuer;
  let service: HttpService;
  beforeAll(async () => {
    issuer = await startMockIssuer();
    service = await serve(authenticatorFor(issuer.url));
  });
  afterAll(async () => {
    await service.close();
    await issuer.close();
  });

  const now = (): number => Math.floor(Date.now() / 1000);

  it.each<[string, (header: Record<string, unknown>, payload: Record<string, unknown>) => void]>([
    ['an expired token', (_header, payload) => (payload['exp'] = now() - 60)],
    ['a token that is not valid yet', (_header, payload) => (payload['nbf'] = now() + 60)],
    ['a token of another issuer', (_header, payload) => (payload['iss'] = 'https://other.example')],
    ['a token for another audience', (_header, payload) => (payload['aud'] = ['others'])],
    ['a token without a subject', (_header, payload) => delete payload['sub']],
    ['an unknown key', (header) => (header['kid'] = 'nobody')],
  ])('is a 401 without the reason: %s', async (_, shape) => {
    const { status, body, headers } = await agents(service, bearer(await issuer.shaped(shape)));
    expect({ status, body, challenge: headers.get('www-authenticate') }).toEqual({
      status: 401,
      body: {
        code: 'unauthenticated',
        message: 'The access token is expired or not valid for this service.',
        detail: 'The access token is expired or not valid for this service.',
        metadata: { reason: 'invalid_token', request_id: expect.any(String) },
      },
      challenge: invalid,
    });
  });

  it.each([undefined, 'Basic YTpi', 'Digest x'])('asks for a token: %s', async (value) => {
    const response = await agents(service, value === undefined ? {} : { authorization: value });
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect(response.body).toMatchObject({ code: 'unauthenticated' });
  });

  it.each(['Bearer', 'Bearer x y', 'Bearer é', 'Bearer a.b.c', `Bearer ${'x'.repeat(20_000)}`])(
    'refuses garbage: %.20s',
    async (authorization) => {
      const response = await agents(service, { authorization });
      expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, invalid]);
    },
  );

  it('refuses two Authorization headers with 400', async () => {
    const token = await issuer.token('agents');
    const status = await new Promise((resolve, reject) => {
      const sent = request(`${service.url}/agents`, (response) => {
        response.resume().once('end', () => resolve(response.statusCode));
      });
      sent.setHeader('Authorization', [`Bearer ${token}`, `Bearer ${token}`]);
      sent.once('error', reject).end();
    });
    expect(status).toBe(400);
  });

  it.each(routes.map((route) => [route.method.toUpperCase(), route.path, route] as const))(
    'requires a token, unless the contract makes it public: %s %s',
    async (method, path, { isPublic }) => {
      const response = await fetch(`${service.url}${path.replaceAll(/\{\w+\}/g, 'x')}`, { method });
      await response.arrayBuffer();
      expect(response.status === 401).toBe(isPublic !== true);
    },
  );

  it('opens health, probes and documents to everybody', async () => {
    const open = ['/health', '/ready', '/live', '/info', '/openapi.json', '/swagger-ui/'];
    for (const path of open) {
      const response = await fetch(`${service.url}${path}`);
      await response.arrayBuffer();
      expect([path, response.status]).toEqual([path, 200]);
    }
  });

  it('responds with 503 while the issuer is unavailable and its keys are unknown', async () => {
    const away = await startMockIssuer();
    const token = await away.token('agents');
    await away.close();
    const fresh = await serve(authenticatorFor(away.url));
    close.push(() => fresh.close());
    const response = await agents(fresh, bearer(token));
    expect([response.status, response.headers.get('retry-after'), response.body]).toMatchObject([
      503,
      '1',
      { code: 'issuer_unavailable' },
    ]);
    expect((await agents(fresh)).status).toBe(401);
  });
});
