import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { generateKey, startTestIssuer, type TestIssuer } from '../../test/fixtures/issuer.ts';
import type { Authenticator } from './authenticator.ts';
import { createOidcAuthenticator } from './oidc.ts';

let issuer: TestIssuer;
let time: number;
let logged: Record<string, unknown>[];
beforeEach(async () => {
  issuer = await startTestIssuer();
  time = Date.now();
  logged = [];
});
afterEach(() => issuer.close());

function oidc(): Authenticator {
  const { url, audience } = issuer;
  const logger = pino({}, { write: (line) => void logged.push(JSON.parse(line)) });
  return createOidcAuthenticator({ issuer: url, audience, logger, now: () => time });
}

const bearer = (token: string) => ({ authorization: [`Bearer ${token}`] });
const refusal = { code: 'unauthenticated', details: { reason: 'invalid_token' } };
const seconds = (offset: number): number => Math.floor(time / 1000) + offset;

it('makes the principal of the claims, by their names', async () => {
  const claims = {
    sub: 'ada',
    mroles: ['mrn:iam:role:admin', 7],
    mgroups: 'mrn:iam:group:all',
    scopes: ['read'],
    mclearance: 'HIGH',
    mannotations: { team: 'a' },
    email: 'ada@example.org',
  };
  const principal = await oidc().authenticate(bearer(await issuer.token(claims)));
  expect(principal).toEqual({
    sub: 'ada',
    mroles: ['mrn:iam:role:admin'],
    claims: {
      iss: issuer.url,
      aud: 'agents',
      iat: expect.any(Number),
      exp: expect.any(Number),
      ...claims,
      mroles: ['mrn:iam:role:admin'],
      mgroups: ['mrn:iam:group:all'],
    },
  });
});

it.each(['RS256', 'PS512', 'ES384', 'EdDSA'])('takes tokens signed with %s', async (alg) => {
  issuer.keys = [await generateKey('k', alg)];
  await expect(oidc().authenticate(bearer(await issuer.token()))).resolves.toMatchObject({
    sub: 'ada',
  });
});

it('refuses a changed claim, and logs why without the token', async () => {
  const [header, , signature] = (await issuer.token()).split('.');
  const [, other] = (await issuer.token({ sub: 'eve' })).split('.');
  const token = `${header}.${other}.${signature}`;
  await expect(oidc().authenticate(bearer(token))).rejects.toMatchObject(refusal);
  expect(logged.at(-1)).toMatchObject({ msg: 'token refused' });
  expect(JSON.stringify(logged)).not.toContain(signature);
});

describe('the clock', () => {
  it.each([
    ['29 s after the expiration', 'exp', -29, true],
    ['31 s after the expiration', 'exp', -31, false],
    ['29 s before it begins', 'nbf', 29, true],
    ['31 s before it begins', 'nbf', 31, false],
  ])('%s', async (_, claim, offset, isTaken) => {
    time = Math.floor(time / 1000) * 1000;
    const token = await issuer.token({ [claim]: seconds(offset) });
    const response = Promise.resolve(oidc().authenticate(bearer(token)));
    const wasTaken = response.then(
      () => true,
      () => false,
    );
    expect(await wasTaken).toBe(isTaken);
  });
});

describe('the header', () => {
  it.each([
    'Bearer',
    'Bearer ',
    'Bearer a b',
    'Bearer ü',
    'Bearer =',
    'bearer x',
    'Bearer a.b.c.d.e',
  ])('is refused as a token: %s', async (value) => {
    const response = Promise.resolve(oidc()).then((it) =>
      it.authenticate({ authorization: [value] }),
    );
    await expect(response).rejects.toMatchObject(refusal);
  });

  it.each([undefined, ['Basic YTpi'], ['Bearerx'], ['']])(
    'is no bearer token: %s',
    async (values) => {
      const response = oidc().authenticate({ authorization: values });
      await expect(response).rejects.toMatchObject({ code: 'unauthenticated', details: {} });
    },
  );

  it('takes the scheme in any case', async () => {
    const token = await issuer.token();
    for (const scheme of ['bearer', 'BEARER', 'Bearer ']) {
      const headers = { authorization: [`${scheme} ${token}`] };
      await expect(oidc().authenticate(headers)).resolves.toMatchObject({ sub: 'ada' });
    }
  });

  it('must not be given twice, even with good tokens', async () => {
    const value = `Bearer ${await issuer.token()}`;
    await expect(oidc().authenticate({ authorization: [value, value] })).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });
});

describe('keys', () => {
  it('are followed when they change, without a restart', async () => {
    const auth = oidc();
    const old = await issuer.token();
    await auth.authenticate(bearer(old));
    issuer.keys = [await generateKey('second')];
    time += 6_000;
    await expect(auth.authenticate(bearer(await issuer.token()))).resolves.toMatchObject({
      sub: 'ada',
    });
    await expect(auth.authenticate(bearer(old))).rejects.toMatchObject(refusal);
  });

  it('that are withdrawn are forgotten after a while', async () => {
    const auth = oidc();
    const [old] = issuer.keys;
    const token = (): Promise<string> =>
      issuer.token({ exp: seconds(60) }, old ? { key: old } : {});
    await auth.authenticate(bearer(await token()));
    issuer.keys = [await generateKey('second')];
    await auth.authenticate(bearer(await token()));
    time += 601_000;
    await expect(auth.authenticate(bearer(await token()))).rejects.toMatchObject(refusal);
  });

  it('that are unknown do not cause a fetch each time', async () => {
    const auth = oidc();
    await auth.authenticate(bearer(await issuer.token()));
    const invented = await issuer.token({}, { header: { kid: 'invented' } });
    const many = Array.from({ length: 20 }, async () => auth.authenticate(bearer(invented)));
    expect((await Promise.allSettled(many)).every(({ status }) => status === 'rejected')).toBe(
      true,
    );
    expect(issuer.fetches).toBe(1);
  });

  it('of a token that names none are tried one after the other', async () => {
    const second = await generateKey('second');
    issuer.keys.push(second);
    const auth = oidc();
    const token = await issuer.token({}, { key: second, header: { kid: undefined } });
    await expect(auth.authenticate(bearer(token))).resolves.toMatchObject({ sub: 'ada' });
    const foreign = await generateKey('foreign');
    const other = await issuer.token({}, { key: foreign, header: { kid: undefined } });
    await expect(auth.authenticate(bearer(other))).rejects.toMatchObject(refusal);
  });

  it('that the service holds are used while the issuer is unavailable, for an hour', async () => {
    const auth = oidc();
    const token = (): Promise<string> => issuer.token({ exp: seconds(60) });
    await auth.authenticate(bearer(await token()));
    issuer.isUp = false;
    time += 1_800_000;
    await expect(auth.authenticate(bearer(await token()))).resolves.toMatchObject({ sub: 'ada' });
    time += 1_900_000;
    await expect(auth.authenticate(bearer(await token()))).rejects.toMatchObject({
      code: 'issuer_unavailable',
    });
  });
});

describe('an issuer', () => {
  it('that is unavailable is waited for: 503 until it responds, with one request at a time', async () => {
    issuer.isUp = false;
    const auth = oidc();
    const token = await issuer.token();
    const unavailable = { code: 'issuer_unavailable' };
    await expect(auth.authenticate(bearer(token))).rejects.toMatchObject(unavailable);
    await expect(auth.authenticate(bearer(token))).rejects.toMatchObject(unavailable);
    await expect
      .poll(() => logged)
      .toContainEqual(expect.objectContaining({ level: 40, msg: 'issuer cannot be reached' }));
    issuer.isUp = true;
    time += 1_100;
    await expect(auth.authenticate(bearer(token))).resolves.toMatchObject({ sub: 'ada' });
  });

  it.each<[string, Record<string, unknown>]>([
    ['that speaks for another one', { issuer: 'https://other.example' }],
    ['without keys', { jwks_uri: undefined }],
    ['whose keys are no address', { jwks_uri: 'keys' }],
  ])('%s is not believed', async (_, discovery) => {
    issuer.discovery = discovery;
    await expect(oidc().authenticate(bearer(await issuer.token()))).rejects.toMatchObject({
      code: 'issuer_unavailable',
    });
  });

  it('that responds without end is cut off', async () => {
    issuer.discovery = { padding: 'x'.repeat(600 * 1024) };
    await expect(oidc().authenticate(bearer(await issuer.token()))).rejects.toMatchObject({
      code: 'issuer_unavailable',
      cause: expect.objectContaining({
        message: expect.stringContaining('more than 524288 bytes'),
      }),
    });
  });
});
