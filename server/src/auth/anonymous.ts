import { ANONYMOUS, type Principal } from '../model/principal.ts';
import type { Authenticator } from './authenticator.ts';

const ANONYMOUS_ROLES = ['mrn:service:role:anonymous'];

/** Spec: Authentication, 3. The principal of every request while API authentication is off. */
export const anonymousPrincipal: Principal = Object.freeze({
  sub: ANONYMOUS,
  mroles: ANONYMOUS_ROLES,
  claims: Object.freeze({ sub: ANONYMOUS, mroles: ANONYMOUS_ROLES }),
});

/** Takes every request as the anonymous principal. */
export function createAnonymousAuthenticator(): Authenticator {
  return { authenticate: () => anonymousPrincipal };
}
