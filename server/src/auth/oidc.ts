import { errors, type JWTPayload, jwtVerify, type JWTVerifyOptions } from 'jose';
import { isServiceError } from '../errors/service-error.ts';
import type { Logger } from '../observability/logger.ts';
import { type Authenticator, principalOf } from './authenticator.ts';
import { bearerToken, invalidToken } from './bearer-token.ts';
import { createIssuerKeys } from './issuer-keys.ts';

/** Only asymmetric ones (decisions: "auth header"), because a public key must not be usable as a signing secret. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];

const CLOCK_TOLERANCE_SECONDS = 30;

/** RFC 9068 access tokens and tokens without a type. Others, such as logout tokens, mean something else. */
const TYPES = new Set(['jwt', 'at+jwt', 'application/jwt', 'application/at+jwt']);

export interface OidcOptions {
  issuer: string;
  audience: string;
  logger: Logger;
  /** Milliseconds since the epoch; for tests. */
  now?: () => number;
}

/**
 * Authenticates a request as the subject of its JWT, signed by the issuer for our audience (spec: Authentication, 4).
 */
export function createOidcAuthenticator(options: OidcOptions): Authenticator {
  const { issuer, audience, logger, now = Date.now } = options;
  const keys = createIssuerKeys({ issuer, now });
  keys.refresh().then(
    () => logger.info({ issuer }, 'issuer keys ready'),
    // Not fatal: the issuer may start later than this service; until then requests with tokens get 503.
    (error: unknown) => logger.warn({ err: causeOf(error), issuer }, 'issuer cannot be reached'),
  );

  async function verify(token: string): Promise<JWTPayload> {
    const checks: JWTVerifyOptions = {
      issuer,
      audience,
      algorithms: ALGORITHMS,
      requiredClaims: ['exp', 'sub'],
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      currentDate: new Date(now()),
    };
    try {
      return typed(await jwtVerify(token, keys.find, checks));
    } catch (error) {
      if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
      // The token names no key and several match: it is valid if one of them verifies its signature.
      for await (const key of error) {
        try {
          return typed(await jwtVerify(token, key, checks));
        } catch (next) {
          if (!(next instanceof errors.JWSSignatureVerificationFailed)) throw next;
        }
      }
      throw new errors.JWSSignatureVerificationFailed();
    }
  }

  return {
    async authenticate(headers) {
      const token = bearerToken(headers);
      try {
        const { sub, ...claims } = await verify(token);
        if (typeof sub !== 'string' || sub === '')
          throw new errors.JWTInvalid('the subject is no name');
        return principalOf({ ...claims, sub });
      } catch (error) {
        if (isServiceError(error)) throw error;
        logger.info({ reason: reasonOf(error) }, 'token refused');
        throw invalidToken(error);
      }
    },
  };
}

function typed(verified: { payload: JWTPayload; protectedHeader: { typ?: string } }): JWTPayload {
  const { typ = 'jwt' } = verified.protectedHeader;
  if (!TYPES.has(typ.toLowerCase())) throw new errors.JWTInvalid(`the type is ${typ}`);
  return verified.payload;
}

/** Names the failed check without quoting the token. */
function reasonOf(error: unknown): string {
  if (error instanceof errors.JWTClaimValidationFailed || error instanceof errors.JWTExpired) {
    return `${error.claim} ${error.reason}`;
  }
  return error instanceof errors.JOSEError ? error.code : String(error);
}

function causeOf(error: unknown): unknown {
  return error instanceof Error ? (error.cause ?? error) : error;
}
