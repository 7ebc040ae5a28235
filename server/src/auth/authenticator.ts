import type { Principal } from '../model/principal.ts';

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
