/*
 * Who sends a request: one authenticator for each kind of `api.auth` and for the manifest's own `auth`. Each turns the
 * headers into a principal or rejects; what the principal may do is decided in `policy`.
 */
import type { Logger } from '../observability/logger.ts';
import { type Authenticator, createAnonymousAuthenticator, principalOf } from './authenticator.ts';
import { createManifestAuthenticator, type UserPort } from './manifest-auth.ts';
import { createOidcAuthenticator } from './oidc.ts';
import { createTestAuthenticator } from './test-mode.ts';
import { anonymousPrincipal } from '../model/principal.ts';

/** How callers are authenticated. */
export type AuthSettings =
  | { readonly kind: 'oidc'; readonly issuer: string; readonly audience: string }
  | { readonly kind: 'test' };

/**
 * The configured authenticator: one principal for all requests, OIDC, the agent folder's own, test mode, or anonymous.
 */
export function createAuthenticator(options: {
  auth?: AuthSettings;
  /** Claims of every request: `service run --principal-file`. */
  principal?: Record<string, unknown>;
  /** The agent folder's own `auth`, used unless OIDC is configured. */
  manifest?: { users: UserPort; isStudioAuthDisabled: boolean; isDesktop: boolean };
  logger: Logger;
}): Authenticator {
  const { auth, principal, manifest, logger } = options;
  if (principal !== undefined) return createFixedPrincipal(principal);
  if (manifest && auth?.kind !== 'oidc') {
    if (manifest.isStudioAuthDisabled || !auth) return createManifestAuthenticator(manifest.users);
    const { isDesktop } = manifest;
    const test = createTestAuthenticator({ logger });
    return createManifestAuthenticator(manifest.users, { test, isDesktop });
  }
  if (auth === undefined) return createAnonymousAuthenticator();
  return auth.kind === 'oidc'
    ? createOidcAuthenticator({ ...auth, logger })
    : createTestAuthenticator({ logger });
}

/** Authenticates every request as one principal: that of `service run --principal-file`. */
export function createFixedPrincipal(claims: Record<string, unknown>): Authenticator {
  const { sub } = claims;
  const principal = principalOf({
    ...claims,
    sub: typeof sub === 'string' ? sub : anonymousPrincipal.sub,
  });
  return { authenticate: () => principal };
}
