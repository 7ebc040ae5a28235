/** Who makes a request (spec: Resources, Principal). `claims` holds every identity claim, `sub` and `mroles` too. */
export interface Principal {
  sub: string;
  mroles: string[];
  claims: Record<string, unknown>;
}

/** The `sub` of whoever calls while nobody is asked who they are (spec: Authentication, 3). */
export const ANONYMOUS = 'anonymous';

/** Who calls, as LangGraph's server tells it to agents: its members of a user, and every claim. */
export function userOf(claims: Principal['claims']): Record<string, unknown> {
  const { sub } = claims;
  const isKnown = sub !== undefined && sub !== ANONYMOUS;
  const user = { identity: sub, display_name: sub, is_authenticated: isKnown, permissions: [] };
  return { ...user, ...claims };
}
