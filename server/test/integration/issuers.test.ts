import { request } from 'node:http';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAuthenticator } from '../../src/auth/create-authenticator.ts';
import { routes } from '../../src/contract/routes.ts';
import type { Principal } from '../../src/model/principal.ts';
import { call, type JsonAnswer } from '../fixtures/call.ts';
import { startHttpService, type HttpService } from '../fixtures/http-service.ts';
import {
  issuedRole,
  startMockIssuer,
  startOidcProvider,
  type MockIssuer,
} from '../fixtures/issuers.ts';

const issuers = { 'oidc-provider': startOidcProvider, 'oauth2-mock-server': startMockIssuer };

/** Longer than the time in which an unknown key does not make the service ask again. */
const patience = { timeout: 20_000, interval: 500 };

let close: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const one of close.reverse()) await one();
  close = [];
});

async function serve(issuer: string): Promise<HttpService & { seen: Principal[] }> {
  const seen: Principal[] = [];
  const auth = { kind: 'oidc' as const, issuer, audience: 'agents' };
  const service = await startHttpService({
    authenticator: createAuthenticator({ auth, logger: pino({ enabled: false }) }),
    policy: {
      isPermitted({ principal }) {
        seen.push(principal);
        return true;
      },
    },
  });
  close.push(() => service.close());
  return { ...service, seen };
}

const bearer = (token: string, scheme = 'Bearer') => ({ authorization: `${scheme} ${token}` });

function agents(service: HttpService, headers: Record<string, string> = {}): Promise<JsonAnswer> {
  return call(`${service.url}/agents`, 'GET', undefined, headers);
}

const invalid =
  'Bearer error="invalid_token", error_description="The access token is expired or not valid for this service."';

describe.each(Object.entries(issuers))('tokens of %s', (_, start) => {
  it('are taken for their audience, and followed when the keys rotate', async () => {
    const issuer = await start();
    close.push(() => issuer.close());
    const service = await serve(issuer.url);
    const old = await issuer.token('agents');
    expect((await agents(service, bearer(old))).status).toBe(200);
    expect(service.seen.at(-1)).toMatchObject({ sub: 'robot', mroles: [issuedRole] });
    expect((await agents(service, bearer(await issuer.token('others')))).status).toBe(401);

    await issuer.rotate();
    const fresh = await issuer.token('agents');
    const status = async (): Promise<number> => (await agents(service, bearer(fresh))).status;
    await expect.poll(status, patience).toBe(200);
    expect((await agents(service, bearer(old))).status).toBe(401);
  });
});

describe('what a client sees', () => {
  let issuer: MockIssuer;
  let service: HttpService;
  beforeEach(async () => {
    issuer = await startMockIssuer();
    close.push(() => issuer.close());
    service = await serve(issuer.url);
  });

  const now = (): number => Math.floor(Date.now() / 1000);

  it.each<[string, (header: Record<string, unknown>, payload: Record<string, unknown>) => void]>([
    ['an expired token', (_header, payload) => (payload['exp'] = now() - 60)],
    ['a token that is not valid yet', (_header, payload) => (payload['nbf'] = now() + 60)],
    ['a token of another issuer', (_header, payload) => (payload['iss'] = 'https://other.example')],
    ['a token for another audience', (_header, payload) => (payload['aud'] = ['others'])],
    ['a token without a subject', (_header, payload) => delete payload['sub']],
    ['an unknown key', (header) => (header['kid'] = 'nobody')],
  ])('is a 401 that does not say why: %s', async (_, shape) => {
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

  it.each<[string, number, number]>([
    ['25 s after the expiration', -25, 200],
    ['40 s after the expiration', -40, 401],
  ])('allows for clocks that differ: %s', async (_, offset, status) => {
    const token = await issuer.shaped((_header, payload) => (payload['exp'] = now() + offset));
    expect((await agents(service, bearer(token))).status).toBe(status);
  });

  it('takes the scheme in lower case', async () => {
    const answer = await agents(service, bearer(await issuer.token('agents'), 'bearer'));
    expect(answer.status).toBe(200);
  });

  it.each([undefined, 'Basic YTpi', 'Digest x'])('asks for a token: %s', async (value) => {
    const answer = await agents(service, value === undefined ? {} : { authorization: value });
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect(answer.body).toMatchObject({ code: 'unauthenticated' });
  });

  it.each(['Bearer', 'Bearer x y', 'Bearer é', 'Bearer a.b.c', `Bearer ${'x'.repeat(20_000)}`])(
    'refuses garbage: %.20s',
    async (authorization) => {
      const answer = await agents(service, { authorization });
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, invalid]);
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
    'is asked for a token, unless the contract says otherwise: %s %s',
    async (method, path, { isPublic }) => {
      const answer = await fetch(`${service.url}${path.replaceAll(/\{\w+\}/g, 'x')}`, { method });
      await answer.arrayBuffer();
      expect(answer.status === 401).toBe(isPublic !== true);
    },
  );

  it('opens health, probes and documents to everybody', async () => {
    const open = ['/health', '/ready', '/live', '/info', '/openapi.json', '/swagger-ui/'];
    for (const path of open) {
      const answer = await fetch(`${service.url}${path}`);
      await answer.arrayBuffer();
      expect([path, answer.status]).toEqual([path, 200]);
    }
  });

  it('answers 503 while the issuer is away and its keys are unknown', async () => {
    const token = await issuer.token('agents');
    await issuer.close();
    close.splice(0, 1);
    const fresh = await serve(issuer.url);
    const answer = await agents(fresh, bearer(token));
    expect([answer.status, answer.headers.get('retry-after'), answer.body]).toMatchObject([
      503,
      '1',
      { code: 'issuer_unavailable' },
    ]);
    expect((await agents(fresh)).status).toBe(401);
  });
});
