import { fullUserOf, userOf } from '../model/principal.ts';

interface AuthConfig {
  langgraph_auth_user: Record<string, unknown> | null;
  langgraph_auth_user_id: string;
  langgraph_auth_permissions: unknown[];
}

/**
 * The members of `configurable` that identify the caller, as under LangGraph's own server: null with an empty id when
 * the caller is not authenticated. `claims` are those of the principal.
 */
export function authConfig(claims: Record<string, unknown> = {}): AuthConfig {
  const user = userOf(fullUserOf(claims));
  const { identity, permissions } = user;
  const isKnown = user['is_authenticated'] === true && typeof identity === 'string';
  if (!isKnown) return noAuth;
  return {
    langgraph_auth_user: user,
    langgraph_auth_user_id: identity,
    langgraph_auth_permissions: Array.isArray(permissions) ? permissions : [],
  };
}

const noAuth: AuthConfig = {
  langgraph_auth_user: null,
  langgraph_auth_user_id: '',
  langgraph_auth_permissions: [],
};

/** Removes the members that identify the caller: a client must not set them in its config. */
export function withoutAuth(configurable: Record<string, unknown>): Record<string, unknown> {
  const kept = Object.entries(configurable).filter(([name]) => !Object.hasOwn(noAuth, name));
  return Object.fromEntries(kept);
}
