import { describeError } from './guest-error.ts';
import { readHead, type RequestHead } from './request-head.ts';
import { isRecord } from './run-config.ts';
import type { ErrorMessage } from './wire.ts';

interface Refusal {
  status: number;
  detail: string;
}

/** Exactly one of them; none is a failure. */
export interface Authenticated {
  userJson?: string;
  refusal?: Refusal;
  error?: ErrorMessage;
}

export interface Authorized {
  permitted?: boolean;
  valueJson?: string;
  filterJson?: string;
  refusal?: Refusal;
  error?: ErrorMessage;
}

export interface AuthorizeRequest {
  userJson: string;
  resource: string;
  action: string;
  valueJson: string;
}

/** The manifest's `auth`: who calls, and what they may do. Never rejects: an error is a result too. */
export interface AuthHandlers {
  authenticate(request: RequestHead): Promise<Authenticated>;
  authorize(request: AuthorizeRequest): Promise<Authorized>;
}

type Handler = (given: unknown) => unknown;

/** The handlers of an `Auth` of @langchain/langgraph-sdk/auth; throws for what cannot be asked. */
export function authHandlers(auth: unknown): AuthHandlers {
  const known = isRecord(auth) ? auth['~handlerCache'] : undefined;
  if (!isRecord(known)) throw new TypeError('auth is no Auth of @langchain/langgraph-sdk/auth');
  const { authenticate } = known;
  if (!isHandler(authenticate)) {
    throw new TypeError('auth has no authenticate handler: it would refuse every request');
  }
  return {
    async authenticate(request) {
      try {
        return { userJson: JSON.stringify(userOf(await authenticate(requestOf(request)))) };
      } catch (error) {
        return failure(error);
      }
    },

    async authorize({ userJson, resource, action, valueJson }) {
      try {
        const user = JSON.parse(userJson) as { permissions?: unknown }; // our own result
        const value: unknown = JSON.parse(valueJson);
        const handler = mostSpecific(known['callbacks'], resource, action);
        const about = { event: `${resource}:${action}`, resource, action, value, user };
        const result = await handler?.({ ...about, permissions: user.permissions ?? [] });
        if (result === false) return { refusal: { status: 403, detail: 'Forbidden' } };
        const valueAfter = JSON.stringify(value);
        if (result === undefined || result === null || result === true) {
          return { permitted: true, valueJson: valueAfter };
        }
        if (!isRecord(result)) throw new TypeError('a handler returns nothing, a bool or a filter');
        const filterJson = Object.keys(result).length > 0 ? JSON.stringify(result) : '';
        return { permitted: true, valueJson: valueAfter, filterJson };
      } catch (error) {
        return failure(error);
      }
    },
  };
}

function mostSpecific(callbacks: unknown, resource: string, action: string): Handler | undefined {
  if (!isRecord(callbacks)) return undefined;
  for (const key of [`${resource}:${action}`, resource, `*:${action}`, '*']) {
    const found = Object.hasOwn(callbacks, key) ? callbacks[key] : undefined;
    if (isHandler(found)) return found;
  }
  return undefined;
}

/** As much of the request as is known before its body. */
function requestOf(head: RequestHead): Request {
  const { target, headers } = readHead(head);
  return new Request(`http://localhost${target}`, { method: head.method, headers });
}

/** A user without an identity is refused. */
function userOf(returned: unknown): Record<string, unknown> {
  const user = typeof returned === 'string' ? { identity: returned } : returned;
  const identity = isRecord(user) ? user['identity'] : undefined;
  if (!isRecord(user) || typeof identity !== 'string' || identity === '') {
    throw new TypeError('authenticate has to return a text or an object with a text "identity"');
  }
  const permissions = Array.isArray(user['permissions']) ? user['permissions'] : [];
  return { display_name: identity, is_authenticated: true, ...user, permissions };
}

/** A refusal for what carries a status, as HTTPException does; otherwise the error itself. */
function failure(error: unknown): Pick<Authorized, 'refusal' | 'error'> {
  if (error instanceof Error && 'status' in error) {
    const { status } = error;
    const isStatus = typeof status === 'number' && status >= 400 && status <= 599;
    if (isStatus) return { refusal: { status, detail: error.message.slice(0, 2000) } };
  }
  return { error: describeError(error) };
}

function isHandler(value: unknown): value is Handler {
  return typeof value === 'function';
}
