const NAMES = ['langgraph_auth_user', 'langgraph_auth_user_id', 'langgraph_auth_permissions'];

/**
 * What agents find under `configurable` about a user of the manifest's `auth`, as under LangGraph's own server; nothing
 * where somebody else says who calls.
 */
export function authConfig(principal: Record<string, unknown> = {}): Record<string, unknown> {
  const { sub: _, mroles: __, mgroups: ___, ...user } = principal;
  const { identity, permissions } = user;
  if (typeof identity !== 'string') return {};
  return {
    langgraph_auth_user: user,
    langgraph_auth_user_id: identity,
    langgraph_auth_permissions: Array.isArray(permissions) ? permissions : [],
  };
}

/** A client does not say who it is by its config. */
export function withoutAuth(configurable: Record<string, unknown>): Record<string, unknown> {
  const kept = Object.entries(configurable).filter(([name]) => !NAMES.includes(name));
  return Object.fromEntries(kept);
}
