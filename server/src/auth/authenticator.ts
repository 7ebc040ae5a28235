import { anonymousPrincipal, type Principal } from '../model/principal.ts';

/** Claims that are lists of names. An issuer may write a single name without the list. */
const LISTS = ['mroles', 'mgroups'] as const;

function namesOf(claim: unknown): string[] {
  if (typeof claim === 'string') return [claim];
  return Array.isArray(claim) ? claim.filter((name) => typeof name === 'string') : [];
}

/** The principal that the claims describe; every claim is kept by its name (decisions: "auth header"). */
export function principalOf(claims: Record<string, unknown> & { sub: string }): Principal {
  const kept: Record<string, unknown> & { sub: string } = { ...claims };
  for (const name of LISTS) {
    if (Object.hasOwn(kept, name)) kept[name] = namesOf(kept[name]);
  }
  return { sub: kept.sub, mroles: namesOf(kept['mroles']), claims: kept };
}

/** The headers that an authenticator may read: every value of every header, unchanged. */
export type CredentialHeaders = Readonly<Record<string, readonly string[] | undefined>>;

/** Credentials of the service itself, which are hidden from agents' code. */
export const OWN_HEADERS: ReadonlySet<string> = new Set(['x-service-token', 'x-test-principal']);

/** Method, path and query of a request. */
export interface RequestLine {
  method: string;
  /** Decoded, without the query. */
  path: string;
  /** The same path as the client wrote it. */
  rawPath: string;
  /** Without the question mark. */
  query: string;
}

/** Makes a principal from a request's credentials; rejects with `unauthenticated`. */
export interface Authenticator {
  authenticate(headers: CredentialHeaders, request?: RequestLine): Principal | Promise<Principal>;
}

/** Authenticates every request as the anonymous principal. */
export function createAnonymousAuthenticator(): Authenticator {
  return { authenticate: () => anonymousPrincipal };
}
