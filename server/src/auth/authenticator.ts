import type { Principal } from '../model/principal.ts';

/** The headers a way of authentication may look at: every value of every header, as they came. */
export type CredentialHeaders = Readonly<Record<string, readonly string[] | undefined>>;

/** Makes a principal out of a request's credentials; rejects with `unauthenticated`. */
export interface Authenticator {
  authenticate(headers: CredentialHeaders): Principal | Promise<Principal>;
}
