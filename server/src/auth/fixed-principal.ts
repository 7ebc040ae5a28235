import type { Authenticator } from './authenticator.ts';
import { anonymousPrincipal } from '../model/principal.ts';
import { principalOf } from './principal-of.ts';

/** Takes every request as one principal: that of `service run --principal-file`. */
export function createFixedPrincipal(claims: Record<string, unknown>): Authenticator {
  const { sub } = claims;
  const principal = principalOf({
    ...claims,
    sub: typeof sub === 'string' ? sub : anonymousPrincipal.sub,
  });
  return { authenticate: () => principal };
}
