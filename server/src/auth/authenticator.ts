import { anonymousPrincipal, type Principal } from '../model/principal.ts';

/** Claims that are lists of names. An issuer that has only one to tell may write it without the list. */
const LISTS = ['mroles', 'mgroups'] as const;

function namesOf(claim: unknown): string[] {
  if (typeof claim === 'string') return [claim];
  return Array.isArray(claim) ? claim.filter((name) => typeof name === 'string') : [];
}

/** The principal that the claims tell of; every claim is kept by its name (decisions: "auth header"). */
export function principalOf(claims: Record<string, unknown> & { sub: string }): Principal {
  const kept: Record<string, unknown> & { sub: string } = { ...claims };
  for (const name of LISTS) {
    if (Object.hasOwn(kept, name)) kept[name] = namesOf(kept[name]);
  }
  return { sub: kept.sub, mroles: namesOf(kept['mroles']), claims: kept };
}

/** The headers a way of authentication may look at: every value of every header, as they came. */
export type CredentialHeaders = Readonly<Record<string, readonly string[] | undefined>>;

/** Credentials of the service itself: agents' code is not shown them. */
export const OWN_HEADERS: ReadonlySet<string> = new Set(['x-service-token', 'x-test-principal']);

/** What a request asks for. */
export interface RequestLine {
  method: string;
  /** Decoded, without the query. */
  path: string;
  /** The same path as the client has written it. */
  rawPath: string;
  /** Without the question mark. */
  query: string;
}

/** Makes a principal out of a request's credentials; rejects with `unauthenticated`. */
export interface Authenticator {
  authenticate(headers: CredentialHeaders, request?: RequestLine): Principal | Promise<Principal>;
}

/** Takes every request as the anonymous principal. */
export function createAnonymousAuthenticator(): Authenticator {
  return { authenticate: () => anonymousPrincipal };
}
