import { anonymousPrincipal } from '../model/principal.ts';
import type { Authenticator } from './authenticator.ts';

/** Takes every request as the anonymous principal. */
export function createAnonymousAuthenticator(): Authenticator {
  return { authenticate: () => anonymousPrincipal };
}
