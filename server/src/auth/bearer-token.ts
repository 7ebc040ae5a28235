import { ServiceError } from '../errors/service-error.ts';
import type { CredentialHeaders } from './authenticator.ts';

/** RFC 6750, 2.1: the scheme, whose case does not matter (RFC 9110, 11.1), and a token68. */
const BEARER = /^bearer +([\w.~+/-]+=*) *$/i;

/** The error for a token that is not accepted. The reason is only logged, never sent. */
export function invalidToken(cause?: unknown): ServiceError {
  const message = 'The access token is expired or not valid for this service.';
  return new ServiceError('unauthenticated', message, {
    details: { reason: 'invalid_token' },
    ...(cause === undefined ? {} : { cause }),
  });
}

/** The header's only value; throws for several, because another reader of the request might use a different one. */
export function authorizationOf(headers: CredentialHeaders): string | undefined {
  const [value, ...further] = headers['authorization'] ?? [];
  if (further.length === 0) return value;
  throw new ServiceError('invalid_request', 'The request has more than one Authorization header.');
}

/** The token of `Authorization: Bearer`; throws the errors of RFC 6750 for a missing, repeated or malformed one. */
export function bearerToken(headers: CredentialHeaders): string {
  const value = authorizationOf(headers);
  // With another scheme no token was sent, so the response names no error (RFC 6750, 3.1).
  if (value === undefined || !/^bearer(?: |$)/i.test(value)) {
    throw new ServiceError('unauthenticated', 'A bearer token is needed.');
  }
  const token = BEARER.exec(value)?.[1];
  if (token === undefined) throw invalidToken();
  return token;
}
