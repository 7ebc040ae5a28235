import { refusedBy, ServiceError } from '../errors/service-error.ts';
import type { Principal } from '../model/principal.ts';
import {
  type Authenticator,
  type CredentialHeaders,
  OWN_HEADERS,
  principalOf,
  type RequestLine,
} from './authenticator.ts';
import { authorizationOf } from './bearer-token.ts';

/** The result of the manifest's `@auth.authenticate` for a request. */
export type AuthenticationResult =
  | { kind: 'user'; user: Record<string, unknown> }
  | { kind: 'refused'; status: number; detail: string }
  | { kind: 'failed'; message: string };

/** The manifest's handler. Rejects with a ServiceError when it cannot be called. */
export interface UserPort {
  authenticate(
    request: RequestLine & { headers: CredentialHeaders },
  ): Promise<AuthenticationResult>;
}

const nowhere: RequestLine = { method: '', path: '', rawPath: '', query: '' };

/** The user that handlers see for a developer, as in LangGraph's own development server. */
const STUDIO = { kind: 'StudioUser', is_authenticated: true, permissions: ['authenticated'] };
const STUDIO_NAME = 'langgraph-studio-user';

/** Authenticates every request as the user that the agent folder's own `auth` returns; any other result is refused. */
export function createManifestAuthenticator(
  users: UserPort,
  studio: {
    /** Test mode: the principal in the header X-Test-Principal becomes the studio's user. */
    test?: Authenticator;
    /** Only one application can send requests, and it belongs to the developer. */
    isDesktop?: boolean;
  } = {},
): Authenticator {
  return {
    async authenticate(headers, line = nowhere) {
      if (studio.test && headers['x-test-principal'] !== undefined) {
        return studioUser(await studio.test.authenticate(headers, line));
      }
      const hasCredentials = authorizationOf(headers) ?? headers['x-api-key'];
      if (studio.isDesktop === true && hasCredentials === undefined) return studioUser();
      const result = await users.authenticate({ ...line, headers: without(headers) });
      if (result.kind === 'refused') throw refusedBy(result);
      if (result.kind === 'failed') throw new ServiceError('auth_failed', result.message);
      return principalOfUser(result.user);
    },
  };
}

function studioUser(named?: Principal): Principal {
  const sub = named?.sub ?? STUDIO_NAME;
  return principalOf({ ...named?.claims, ...STUDIO, identity: sub, display_name: sub, sub });
}

function principalOfUser(user: Record<string, unknown>): Principal {
  const { identity } = user;
  if (typeof identity === 'string' && identity !== '') {
    return principalOf({ ...user, sub: identity });
  }
  throw new ServiceError('auth_failed', "The agents' auth returned a user without an identity.");
}

function without(headers: CredentialHeaders): CredentialHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !OWN_HEADERS.has(name)));
}
