import {
  createLocalJWKSet,
  errors,
  type FlattenedJWSInput,
  type JSONWebKeySet,
  type JWSHeaderParameters,
} from 'jose';
import * as z from 'zod';
import { ServiceError } from '../errors/service-error.ts';

/** Limits of an issuer's response: time and size. */
const TIME_LIMIT_MS = 5_000;
const SIZE_LIMIT = 512 * 1024;

/** Fetches a JSON document within the limits, without following redirects; rejects with a reason to log. */
async function fetchJson(url: string): Promise<unknown> {
  const response = await fetch(url, {
    redirect: 'manual',
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(TIME_LIMIT_MS),
  });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`${url} responded with ${response.status}`);
  }
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.byteLength;
    if (size > SIZE_LIMIT) throw new Error(`${url} returned more than ${SIZE_LIMIT} bytes`);
    parts.push(part);
  }
  return JSON.parse(Buffer.concat(parts).toString('utf8'));
}

/** Keys are fetched again after this time, so that a withdrawn key does not stay valid forever. */
const MAX_AGE_MS = 600_000;
/** While the issuer is unavailable, its keys stay valid for this long. */
const MAX_STALE_MS = 3_600_000;
/** An unknown key id triggers a request to the issuer, at most once in this time, because any client can invent one. */
const COOLDOWN_MS = 5_000;
/** After a failure the issuer is not requested again for this long. */
const FAILURE_PAUSE_MS = 1_000;

const discoverySchema = z.object({ issuer: z.string(), jwks_uri: z.url() });
const keySetSchema = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) });

/** The signing keys of an issuer, found by OpenID Connect Discovery and followed when they change. */
export interface IssuerKeys {
  /**
   * The key that a token names. Rejects with a jose error when the issuer has no such key, with `issuer_unavailable`
   * when the issuer cannot be reached.
   */
  find(
    header: JWSHeaderParameters,
    token: FlattenedJWSInput,
  ): ReturnType<ReturnType<typeof createLocalJWKSet>>;
  /** Fetches the keys now; rejects with `issuer_unavailable`. */
  refresh(): Promise<void>;
}

export interface IssuerKeysOptions {
  /** Exactly as in tokens. */
  issuer: string;
  /** Milliseconds since the epoch; for tests. */
  now?: () => number;
}

/** The keys of one issuer. Nothing is fetched before it is needed. */
export function createIssuerKeys({ issuer, now = Date.now }: IssuerKeysOptions): IssuerKeys {
  let keys: ReturnType<typeof createLocalJWKSet> | undefined;
  let fetchedAt = -Infinity;
  let failedAt = -Infinity;
  let failure: unknown;
  let pending: Promise<void> | undefined;

  async function load(): Promise<void> {
    try {
      keys = createLocalJWKSet(await fetchKeySet(issuer));
      fetchedAt = now();
    } catch (error) {
      failure = error;
      failedAt = now();
      throw error;
    }
  }

  async function refresh(): Promise<void> {
    try {
      if (now() - failedAt < FAILURE_PAUSE_MS) throw failure;
      pending ??= load().finally(() => (pending = undefined));
      await pending;
    } catch (cause) {
      const message = 'The issuer of the tokens cannot be asked for its keys.';
      throw new ServiceError('issuer_unavailable', message, { cause });
    }
  }

  async function current(): Promise<ReturnType<typeof createLocalJWKSet>> {
    const age = now() - fetchedAt;
    if (keys !== undefined && age < MAX_AGE_MS) return keys;
    await refresh().catch((error: unknown) => {
      if (keys === undefined || age > MAX_STALE_MS) throw error;
    });
    if (keys === undefined) throw new Error('the keys were fetched');
    return keys;
  }

  return {
    refresh,
    async find(header, token) {
      const known = await current();
      try {
        return await known(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        if (now() - fetchedAt < COOLDOWN_MS) throw error;
      }
      await refresh();
      return (await current())(header, token);
    },
  };
}

async function fetchKeySet(issuer: string): Promise<JSONWebKeySet> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const document = discoverySchema.parse(await fetchJson(url));
  // OpenID Connect Discovery, 4.3: they must be identical.
  if (document.issuer !== issuer) {
    throw new Error(`${url} is about the issuer ${document.issuer}, not about ${issuer}`);
  }
  const isSafe = document.jwks_uri.startsWith('https:') || issuer.startsWith('http:');
  if (!isSafe) throw new Error(`${url} names keys that do not come over https`);
  const { keys } = keySetSchema.parse(await fetchJson(document.jwks_uri));
  // A symmetric key lets every holder sign tokens, so such keys are never used to verify.
  return {
    keys: keys.filter(({ kty }) => kty !== 'oct'),
  };
}
