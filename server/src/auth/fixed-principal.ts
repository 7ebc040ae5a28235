import type { Principal } from '../model/principal.ts';
import type { Authenticator } from './authenticator.ts';

/** Takes every request as one principal: that of `service run --principal-file`. */
export function createFixedPrincipal(claims: Record<string, unknown>): Authenticator {
  const { sub, mroles } = claims;
  const principal: Principal = {
    sub: typeof sub === 'string' ? sub : 'anonymous',
    mroles: Array.isArray(mroles) ? mroles.filter((role) => typeof role === 'string') : [],
    claims,
  };
  return { authenticate: () => principal };
}
