import { isDeepStrictEqual } from 'node:util';

import type { Logger } from '../observability/logger.ts';
import type { AgentLanguage } from './agent.ts';
import type { ManifestApp, ManifestAuth } from './manifest-http.ts';
import { manifestProblem } from './manifest-keys.ts';

/**
 * The manifest's `auth` where it authorizes requests; undefined where OIDC does, or where only the process that started
 * the service sends any.
 */
export function usedAuth(
  { file, auth }: { file: string; auth?: ManifestAuth },
  about: {
    auth: { kind: 'oidc' | 'test' } | undefined;
    isOwnClient: boolean | undefined;
    logger: Logger;
  },
): ManifestAuth | undefined {
  if (!auth || about.isOwnClient === true) return undefined;
  if (about.auth?.kind === 'oidc') {
    const warning = `${file}: auth: not used, because OIDC is configured`;
    about.logger.warn({ warning }, 'manifest');
    return undefined;
  }
  return auth;
}

/**
 * Used on a reload: throws `manifest_invalid` when `auth` has changed since the start. The authentication is fixed at
 * the start: an `auth` that a reload added would look active without being used.
 */
export function requireSameAuth(
  current: { file: string; auth?: ManifestAuth },
  atStart: { auth?: ManifestAuth },
): void {
  if (isDeepStrictEqual(current.auth, atStart.auth)) return;
  const reason = 'it has changed, and is read at the start only; start the service again.';
  throw manifestProblem(current.file, 'auth', reason);
}

/** The part of `auth` and of the manifest's `http.app` that one guest serves: both have one language. */
export function guestWebOf(
  auth: ManifestAuth | undefined,
  app: ManifestApp | undefined,
): { language: AgentLanguage; authPath?: string; appPath?: string } | undefined {
  const { language } = auth ?? app ?? {};
  if (language === undefined) return undefined;
  return { language, ...(auth && { authPath: auth.path }), ...(app && { appPath: app.path }) };
}
