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

/** What `@auth.authenticate` of the manifest says about a request. */
export type UserAnswer =
  | { kind: 'user'; user: Record<string, unknown> }
  | { kind: 'refused'; status: number; detail: string }
  | { kind: 'failed'; message: string };

/** The manifest's handler. Rejects with a ServiceError when it cannot be asked. */
export interface UserPort {
  authenticate(request: RequestLine & { headers: CredentialHeaders }): Promise<UserAnswer>;
}

const nowhere: RequestLine = { method: '', path: '', rawPath: '', query: '' };

/** Who a developer is to the handlers, as under LangGraph's own development server. */
const STUDIO = { kind: 'StudioUser', is_authenticated: true, permissions: ['authenticated'] };
const STUDIO_NAME = 'langgraph-studio-user';

/** Takes every request as whom the agent folder's own `auth` says; whatever it does not say lets nobody in. */
export function createManifestAuthenticator(
  users: UserPort,
  studio: {
    /** Test mode: takes whom the header X-Test-Principal names for the studio's user. */
    test?: Authenticator;
    /** Only one application can send requests, and it is the developer's own. */
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
      const answer = await users.authenticate({ ...line, headers: without(headers) });
      if (answer.kind === 'refused') throw refusedBy(answer);
      if (answer.kind === 'failed') throw new ServiceError('auth_failed', answer.message);
      return principalOfUser(answer.user);
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
