/** The claims of an identity provider about a user. */
export type Claims = Record<string, unknown> & { sub: string };

/**
 * The principal of a request (spec: Resources, Principal). `claims` holds every identity claim, `sub` and `mroles` too.
 */
export interface Principal {
  sub: string;
  mroles: string[];
  claims: Record<string, unknown>;
}

const ANONYMOUS_ROLES = ['mrn:service:role:anonymous'];

/** Spec: Authentication, 3. The principal of every request while API authentication is off. */
export const anonymousPrincipal: Principal = Object.freeze({
  sub: 'anonymous',
  mroles: ANONYMOUS_ROLES,
  claims: Object.freeze({ sub: 'anonymous', mroles: ANONYMOUS_ROLES }),
});

/** The caller as the handlers of the manifest's `auth` know it: without the claims that are derived from it here. */
export function userOf(claims: Principal['claims']): Record<string, unknown> {
  const { sub: _, mroles: __, mgroups: ___, ...user } = claims;
  return user;
}

/** The caller, with the members that every user of LangGraph's server has; the claims override them. */
export function fullUserOf(claims: Principal['claims']): Record<string, unknown> {
  const { sub } = claims;
  const isKnown = sub !== undefined && sub !== anonymousPrincipal.sub;
  const user = { identity: sub, display_name: sub, is_authenticated: isKnown, permissions: [] };
  return { ...user, ...claims };
}

/** Whether the value under `configurable.principal` in a run's config is a user's claims. */
export function isClaims(value: unknown): value is Claims {
  const isObject = typeof value === 'object' && value !== null;
  return isObject && 'sub' in value && typeof value.sub === 'string';
}
