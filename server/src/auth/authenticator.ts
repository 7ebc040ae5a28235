import type { Principal } from '../model/principal.ts';

/** The headers a way of authentication may look at. */
export type CredentialHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Makes a principal out of a request's credentials; rejects with `unauthenticated`. */
export interface Authenticator {
  authenticate(headers: CredentialHeaders): Principal | Promise<Principal>;
}
