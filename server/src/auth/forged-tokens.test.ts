// Tokens of another signer, or with another meaning: each differs in one thing from one that is taken.
import { createHmac, createPublicKey, KeyObject, sign } from 'node:crypto';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { JWK } from 'jose';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  generateKey,
  startTestIssuer,
  type IssuerKey,
  type TestIssuer,
} from '../../test/fixtures/issuer.ts';
import { isServiceError } from '../errors/service-error.ts';
import type { Authenticator } from './authenticator.ts';
import { createOidcAuthenticator } from './oidc.ts';

let issuer: TestIssuer;
let oidc: Authenticator;
let own: IssuerKey;
let attacker: IssuerKey;
/** Where headers lead a service that trusts them: the attacker's keys, and the requests for them. */
let lure: { url: string; asked: string[]; close(): Promise<void> };

beforeAll(async () => {
  issuer = await startTestIssuer();
  const [first] = issuer.keys;
  if (first === undefined) throw new Error('the issuer has no key');
  own = first;
  attacker = await generateKey('attacker');
  lure = await startLure();
  const { url, audience } = issuer;
  oidc = createOidcAuthenticator({ issuer: url, audience, logger: pino({ enabled: false }) });
});
afterAll(async () => {
  await issuer.close();
  await lure.close();
});

async function startLure(): Promise<typeof lure> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end(JSON.stringify({ keys: [attacker.jwk] }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

type Members = Record<string, unknown>;
type Signer = (input: string) => Buffer;

const base64url = (text: string | Buffer): string => Buffer.from(text).toString('base64url');
const now = (): number => Math.floor(Date.now() / 1000);
const goodClaims = (): Members => {
  return { iss: issuer.url, aud: issuer.audience, sub: 'ada', iat: now(), exp: now() + 300 };
};
const goodHeader = (): Members => ({ alg: 'ES256', kid: own.kid });

const withKey =
  (key: IssuerKey, dsaEncoding: 'ieee-p1363' | 'der' = 'ieee-p1363'): Signer =>
  (input) =>
    sign('sha256', Buffer.from(input), { key: KeyObject.from(key.privateKey), dsaEncoding });

/** The issuer's own signature, made when the tests run. */
const ownSigner: Signer = (input) => withKey(own)(input);

/** A token of these parts as they are; texts are sent unchanged, so that they may be no JSON. */
function token(given: {
  header?: Members | string;
  claims?: Members | string;
  signer?: Signer;
}): string {
  const { header = {}, claims = {}, signer = ownSigner } = given;
  const text = (part: Members | string, whole: Members): string =>
    typeof part === 'string' ? part : JSON.stringify({ ...whole, ...part });
  const input = `${base64url(text(header, goodHeader()))}.${base64url(text(claims, goodClaims()))}`;
  return `${input}.${base64url(signer(input))}`;
}

const authenticate = (value: string) =>
  Promise.resolve(oidc.authenticate({ authorization: [`Bearer ${value}`] }));

const refused = { code: 'unauthenticated', reason: 'invalid_token', asked: [] };

/** How the service refuses a token, and what it asked of where the token sent it. */
async function refusalOf(value: string): Promise<object> {
  const error: unknown = await authenticate(value).then(
    () => new Error('it was taken'),
    (reason: unknown) => reason,
  );
  if (!isServiceError(error)) throw error;
  return { code: error.code, reason: error.details['reason'], asked: lure.asked };
}

it('a token that differs in nothing is taken', async () => {
  expect(await authenticate(token({}))).toMatchObject({ sub: 'ada' });
});

describe('of the algorithm: a token is refused that', () => {
  const unsigned = (): Buffer => Buffer.alloc(0);
  const publicKey = (): KeyObject => createPublicKey({ key: own.jwk, format: 'jwk' });
  const hmac =
    (secret: () => string | Buffer, hash = 'sha256'): Signer =>
    (input) =>
      createHmac(hash, secret()).update(input).digest();

  it.each<[string, Members | string, Signer]>([
    ...['none', 'None', 'nOnE', 'NONE', 'none '].map((alg): [string, Members, Signer] => [
      `declares ${alg}`,
      { alg },
      unsigned,
    ]),
    ['declares none and is signed', { alg: 'none' }, ownSigner],
    ['declares nothing', { alg: undefined }, ownSigner],
    ['declares null', { alg: null }, ownSigner],
    ['declares an empty one', { alg: '' }, unsigned],
    ['declares a list', { alg: ['ES256'] }, ownSigner],
    ['declares it in another case', { alg: 'es256' }, ownSigner],
    ['declares that of another kind of key', { alg: 'RS256' }, ownSigner],
    ['declares that of another curve', { alg: 'ES384' }, ownSigner],
    ['declares it twice, none last', `{"alg":"ES256","kid":"first","alg":"none"}`, unsigned],
    [
      'has the public key as its secret',
      { alg: 'HS256' },
      hmac(() => String(publicKey().export({ type: 'spki', format: 'pem' }))),
    ],
    [
      'has the bytes of the public key as its secret',
      { alg: 'HS256' },
      hmac(() => publicKey().export({ type: 'spki', format: 'der' })),
    ],
    [
      'has the published key as its secret',
      { alg: 'HS512' },
      hmac(() => JSON.stringify(own.jwk), 'sha512'),
    ],
    ['has an empty secret', { alg: 'HS256' }, hmac(() => '')],
    ['has an empty signature', {}, unsigned],
    ['is signed with zeros', {}, () => Buffer.alloc(64)],
    ['is signed in the other form', {}, (input) => withKey(own, 'der')(input)],
    [
      'is signed with more than a signature',
      {},
      (input) => Buffer.concat([ownSigner(input), Buffer.from('x')]),
    ],
    ['is signed with a part of one', {}, (input) => ownSigner(input).subarray(0, 63)],
  ])('%s', async (_, header, signer) => {
    expect(await refusalOf(token({ header, signer }))).toEqual(refused);
  });
});

describe('of the key: a token of another signer is refused that', () => {
  const jwk = (): JWK => attacker.jwk;
  it.each<[string, () => Members | string]>([
    ['names the key of the issuer', () => ({})],
    ['names its own key', () => ({ kid: 'attacker' })],
    ['names no key', () => ({ kid: undefined })],
    ['names null', () => ({ kid: null })],
    ['names a number', () => ({ kid: 0 })],
    ['names a list', () => ({ kid: ['first'] })],
    ['names an object', () => ({ kid: { first: true } })],
    ['names a file', () => ({ kid: '../../../../../../dev/null' })],
    ['names a file of the machine', () => ({ kid: '/proc/sys/kernel/randomize_va_space' })],
    ['names a query', () => ({ kid: "x' UNION SELECT 'secret' --" })],
    ['names a command', () => ({ kid: 'first|$(id)' })],
    ['names a member of every object', () => ({ kid: '__proto__' })],
    ['names a method of every object', () => ({ kid: 'constructor' })],
    ['names an address', () => ({ kid: `${lure.url}/kid` })],
    ['brings its key', () => ({ jwk: jwk() })],
    ['brings its key and no name', () => ({ jwk: jwk(), kid: undefined })],
    ['brings its key under the name of the issuer', () => ({ jwk: { ...jwk(), kid: own.kid } })],
    ['names where its keys are', () => ({ jku: `${lure.url}/jku` })],
    [
      'names where its keys are, below the issuer',
      () => ({ jku: `${issuer.url}@${lure.url}/jku` }),
    ],
    ['names where its certificate is', () => ({ x5u: `${lure.url}/x5u` })],
    ['brings a certificate', () => ({ x5c: [Buffer.from('certificate').toString('base64')] })],
    ['names the print of a certificate', () => ({ x5t: 'AAAA', 'x5t#S256': 'AAAA' })],
    ['names two keys', () => `{"alg":"ES256","kid":"first","kid":"attacker"}`],
    ['has a header beside it', () => ({ header: { jwk: jwk() } })],
  ])('%s', async (_, header) => {
    expect(await refusalOf(token({ header: header(), signer: withKey(attacker) }))).toEqual(
      refused,
    );
  });
});

describe('of what it is: a token of the issuer is refused that', () => {
  it.each<[string, Members]>([
    ['has an extension that must be understood', { crit: ['x'], x: 1 }],
    ['has a known one that must be understood', { crit: ['exp'], exp: 1 }],
    ['must be understood in nothing', { crit: [] }],
    ['must be understood in a text', { crit: 'b64', b64: true }],
    ['is not encoded', { crit: ['b64'], b64: false }],
    ...['logout+jwt', 'dpop+jwt', 'secevent+jwt', 'token-introspection+jwt', 'JWE', 'jwt '].map(
      (typ): [string, Members] => [`is a ${typ}`, { typ }],
    ),
    ['is of a type that is no text', { typ: 7 }],
    ['is of a type that is a list', { typ: ['JWT'] }],
  ])('%s', async (_, header) => {
    expect(await refusalOf(token({ header }))).toEqual(refused);
  });

  it.each<[string, () => Members | string]>([
    ['is of another issuer', () => ({ iss: 'https://other.example' })],
    ['is of one with a slash', () => ({ iss: `${issuer.url}/` })],
    ['is of one below', () => ({ iss: `${issuer.url}/tenant` })],
    ['is of two issuers', () => ({ iss: [issuer.url, 'https://other.example'] })],
    ['is of none', () => ({ iss: undefined })],
    ['is for others', () => ({ aud: 'others' })],
    ['is for all', () => ({ aud: '*' })],
    ['is for one like it', () => ({ aud: 'Agents' })],
    ['is for one that begins so', () => ({ aud: 'agents-admin' })],
    ['is for several others', () => ({ aud: ['others', 'more'] })],
    ['is for an empty list', () => ({ aud: [] })],
    ['is for an object', () => ({ aud: { agents: true } })],
    ['has no audience', () => ({ aud: undefined })],
    ['has expired', () => ({ exp: now() - 60 })],
    ['never expires', () => ({ exp: undefined })],
    ['expires at a text', () => ({ exp: '9999999999' })],
    ['expires at null', () => ({ exp: null })],
    ['begins later', () => ({ nbf: now() + 60 })],
    ['begins at a text', () => ({ nbf: '0' })],
    ['is of no subject', () => ({ sub: undefined })],
    ['is of an empty subject', () => ({ sub: '' })],
    ['is of a list of subjects', () => ({ sub: ['ada'] })],
    [
      'is of a subject of its prototype',
      () =>
        JSON.stringify({ ...goodClaims(), sub: undefined }).replace(
          '{',
          '{"__proto__":{"sub":"ada"},',
        ),
    ],
    ['has a text as claims', () => '"ada"'],
    ['has a list as claims', () => `[${JSON.stringify(goodClaims())}]`],
    ['has null as claims', () => 'null'],
    ['has claims that are no JSON', () => '{"sub":"ada"'],
  ])('%s', async (_, claims) => {
    expect(await refusalOf(token({ claims: claims() }))).toEqual(refused);
  });
});

describe('of its form: a token is refused that', () => {
  it.each<[string, (good: [string, string, string]) => string]>([
    ['has two parts', ([header, claims]) => `${header}.${claims}`],
    ['has four', (parts) => `${parts.join('.')}.x`],
    ['has the five of an encrypted one', (parts) => `${parts.join('.')}.x.y`],
    ['has empty ones', () => '..'],
    [
      'has other claims',
      ([header, , signature]) =>
        `${header}.${base64url(JSON.stringify({ ...goodClaims(), sub: 'eve' }))}.${signature}`,
    ],
    [
      'has another header',
      ([, claims, signature]) => `${base64url('{"alg":"ES256"}')}.${claims}.${signature}`,
    ],
    [
      'has a header that is no JSON',
      ([, claims, signature]) => `${base64url('{')}.${claims}.${signature}`,
    ],
    [
      'has a header that is a list',
      ([, claims, signature]) => `${base64url('[]')}.${claims}.${signature}`,
    ],
    [
      'has one that is null',
      ([, claims, signature]) => `${base64url('null')}.${claims}.${signature}`,
    ],
    ['has padding inside', ([header, claims, signature]) => `${header}=.${claims}.${signature}`],
    ['has a space inside', ([header, claims, signature]) => `${header}. ${claims}.${signature}`],
    [
      'is the JSON of one',
      ([header, payload, signature]) => JSON.stringify({ protected: header, payload, signature }),
    ],
    ['is escaped', (parts) => parts.join('%2e')],
  ])('%s', async (_, shape) => {
    const [header = '', claims = '', signature = ''] = token({}).split('.');
    expect(await refusalOf(shape([header, claims, signature]))).toEqual(refused);
  });
});
