import { fullUserOf, userOf } from '../model/principal.ts';

interface AuthConfig {
  langgraph_auth_user: Record<string, unknown> | null;
  langgraph_auth_user_id: string;
  langgraph_auth_permissions: unknown[];
}

/**
 * What agents find under `configurable` about who calls, as under LangGraph's own server: null with an empty id where
 * nobody is asked who they are. `claims` are those of the principal.
 */
export function authConfig(claims: Record<string, unknown> = {}): AuthConfig {
  const user = userOf(fullUserOf(claims));
  const { identity, permissions } = user;
  const isKnown = user['is_authenticated'] === true && typeof identity === 'string';
  if (!isKnown) return nobody;
  return {
    langgraph_auth_user: user,
    langgraph_auth_user_id: identity,
    langgraph_auth_permissions: Array.isArray(permissions) ? permissions : [],
  };
}

const nobody: AuthConfig = {
  langgraph_auth_user: null,
  langgraph_auth_user_id: '',
  langgraph_auth_permissions: [],
};

/** A client does not say who it is by its config. */
export function withoutAuth(configurable: Record<string, unknown>): Record<string, unknown> {
  const kept = Object.entries(configurable).filter(([name]) => !Object.hasOwn(nobody, name));
  return Object.fromEntries(kept);
}
