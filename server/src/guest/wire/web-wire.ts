import { isObject } from '../../model/json.ts';
import { errorText } from './agent-wire.ts';
import type {
  AuthenticateRequestMessage,
  AuthenticateResponseMessage,
  AuthorizeRequestMessage,
  AuthorizeResponseMessage,
  ErrorMessage,
  RefusalMessage,
} from './proto-messages.ts';

/** The part of a request that is known before its body. */
export interface WebRequest {
  method: string;
  path: string;
  /** Undecoded. */
  rawPath: string;
  query: string;
  /** Every value of every header, by names in lower case, as node reads them (Latin-1). */
  headers: Readonly<Record<string, readonly string[] | undefined>>;
}

interface Refused {
  kind: 'refused';
  status: number;
  detail: string;
}

interface Failed {
  kind: 'failed';
  message: string;
}

export type AuthenticationResult =
  { kind: 'user'; user: Record<string, unknown> } | Refused | Failed;

export interface AuthorizeQuestion {
  user: Record<string, unknown>;
  resource: string;
  action: string;
  value: Record<string, unknown>;
}

export type AuthorizationResult =
  | { kind: 'permitted'; value: Record<string, unknown>; filter?: Record<string, unknown> }
  | Refused
  | Failed;

export function authenticateRequest(request: WebRequest): AuthenticateRequestMessage {
  const { method, path, rawPath, query, headers } = request;
  return {
    method,
    path,
    raw_path: Buffer.from(rawPath, 'latin1'),
    query,
    headers: Object.entries(headers).flatMap(([name, values = []]) =>
      values.map((value) => ({ name, value: Buffer.from(value, 'latin1') })),
    ),
  };
}

/** `failed`, unless the response names a user. */
export function readAuthenticated(response: AuthenticateResponseMessage): AuthenticationResult {
  const denied = readDenied(response);
  if (denied) return denied;
  const user = objectOf(response.user_json);
  return user ? { kind: 'user', user } : nothing;
}

export function authorizeRequest(question: AuthorizeQuestion): AuthorizeRequestMessage {
  return {
    user_json: JSON.stringify(question.user),
    resource: question.resource,
    action: question.action,
    value_json: JSON.stringify(question.value),
  };
}

/** `failed`, unless the response explicitly permits it. */
export function readAuthorized(response: AuthorizeResponseMessage): AuthorizationResult {
  const denied = readDenied(response);
  if (denied) return denied;
  const value = objectOf(response.value_json);
  if (response.permitted !== true || !value) return nothing;
  if (!response.filter_json) return { kind: 'permitted', value };
  const filter = objectOf(response.filter_json);
  return filter ? { kind: 'permitted', value, filter } : nothing;
}

const nothing: Failed = { kind: 'failed', message: "The agents' auth did not respond." };

function readDenied(response: { refusal?: RefusalMessage; error?: ErrorMessage }) {
  if (response.error) {
    const message = `The agents' auth failed: ${errorText(response.error)}`;
    return { kind: 'failed', message } as const;
  }
  if (!response.refusal) return undefined;
  const { status = 500, detail = '' } = response.refusal;
  return { kind: 'refused', status, detail } as const;
}

function objectOf(json: string | undefined): Record<string, unknown> | undefined {
  if (json === undefined || json === '') return undefined;
  const parsed: unknown = JSON.parse(json);
  return isObject(parsed) ? parsed : undefined;
}
