import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Express, RequestHandler } from 'express';
import { type Authenticator, principalOf } from '../../auth/authenticator.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { AGENT_REQUESTS_AT_ONCE } from '../../model/limits/http-limits.ts';
import { isClaims } from '../../model/principal.ts';
import { requestHeaders } from './agent-app-headers.ts';
import { COMPAT_BASE } from '../compat/compat-route.ts';
import { createLifecycle, type Lifecycle } from '../server/lifecycle.ts';
import { createMemoryServer } from '../server/memory-server.ts';
import { contextOf } from '../request/request-context.ts';

/** The caller on whose behalf a client within an agent makes requests. One object for each run or request. */
interface AgentCaller {
  runUuid?: string;
  /** Claims of the principal that created the run, or made the request to `http.app`. */
  principal: unknown;
}

interface AgentRequest {
  method: string;
  /** Path, relative to the root of LangGraph Server's API, and query. */
  target: string;
  headers: Readonly<Record<string, readonly string[]>>;
  body: AsyncIterable<Uint8Array>;
}

interface AgentApiResponse {
  status: number;
  headers: [name: string, value: string][];
  body: AsyncIterable<Uint8Array>;
}

/** The API of LangGraph Server for clients within agents, without a network listener. */
export interface AgentApi {
  /**
   * Handles one request and returns the response, also a refusal; waits until an app is open. Without a caller the run
   * or request is unknown.
   */
  call(
    caller: AgentCaller | undefined,
    request: AgentRequest,
    signal: AbortSignal,
  ): Promise<AgentApiResponse>;
  /** Parts that the app for these requests must use. */
  readonly parts: { admit: RequestHandler; authenticator: Authenticator; lifecycle: Lifecycle };
  /** Handles requests with this app from now on. Call it once. */
  open(app: Express): void;
  /**
   * Ends active requests and sends agents no further responses: their runs continue at the next start, and must not
   * fail because of a response from a stopping service.
   */
  stop(): void;
}

/** Identifies the call that a request belongs to. The service generates it, so that no agent can choose the run. */
const CALL = 'x-agent-call';

/** Headers that concern the agent's own environment, and credentials for other services. */
const DROPPED = new Set([CALL, 'host', 'content-length', 'cookie', 'origin', 'x-api-key']);

const OF_CONNECTION = new Set(['connection', 'keep-alive', 'transfer-encoding']);

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Makes the API for clients within agents; `createApp` opens it. */
export function createAgentApi(): AgentApi {
  const server = createMemoryServer();
  const lifecycle = createLifecycle();
  const calls = new Map<string, AgentCaller | undefined>();
  const active = new WeakMap<AgentCaller, number>();
  let noteOpened = (): void => undefined;
  const opened = new Promise<void>((resolve) => (noteOpened = resolve));

  function count(caller: AgentCaller | undefined, change: 1 | -1): void {
    if (caller) active.set(caller, (active.get(caller) ?? 0) + change);
  }

  const admit: RequestHandler = (req, res, next) => {
    const caller = calls.get(req.get(CALL) ?? '');
    if (!caller) {
      throw new ServiceError(
        'permission_denied',
        'The run or request that this client is of has ended.',
      );
    }
    if (caller.runUuid !== undefined) contextOf(res).fields['caller_run_id'] = caller.runUuid;
    if ((active.get(caller) ?? 0) > AGENT_REQUESTS_AT_ONCE) {
      const message = `The run or request has ${AGENT_REQUESTS_AT_ONCE} requests under way already.`;
      throw new ServiceError('too_many_requests', message);
    }
    next();
  };

  const authenticator: Authenticator = {
    authenticate(headers) {
      const { principal } = calls.get(headers[CALL]?.[0] ?? '') ?? {};
      if (isClaims(principal)) return principalOf(principal);
      throw new ServiceError('permission_denied', 'The run or request has no principal.');
    },
  };

  async function call(
    caller: AgentCaller | undefined,
    { method, target, headers, body }: AgentRequest,
    signal: AbortSignal,
  ): Promise<AgentApiResponse> {
    if (!METHODS.has(method) || !target.startsWith('/')) {
      throw new ServiceError('invalid_request', `${method} ${target} is no request of the API.`);
    }
    await Promise.race([opened, untilAborted(signal)]);
    const id = randomUUID();
    const over = (): void => {
      if (calls.delete(id)) count(caller, -1);
    };
    calls.set(id, caller);
    count(caller, 1);
    try {
      const path = `${COMPAT_BASE}${target}`;
      const line = { method, path, headers: { ...keptHeaders(headers), [CALL]: id } };
      // An agent may never send the body that it has announced.
      const response = await Promise.race([
        server.request(line, body, signal),
        untilAborted(signal),
      ]);
      response.once('close', over);
      if (lifecycle.stopSignal.aborted) return await untilAborted(signal);
      return {
        status: response.statusCode ?? 0,
        headers: pairsOf(response.rawHeaders),
        body: bodyOf(response, signal),
      };
    } catch (error) {
      over();
      if (lifecycle.stopSignal.aborted) return untilAborted(signal);
      throw error;
    }
  }

  async function* bodyOf(
    response: IncomingMessage,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array> {
    const parts: AsyncIterable<Buffer> = response;
    for await (const part of parts) {
      if (lifecycle.stopSignal.aborted) break;
      yield part;
    }
    if (lifecycle.stopSignal.aborted) await untilAborted(signal);
  }

  return {
    call,
    parts: { admit, authenticator, lifecycle },
    open(app) {
      server.serve(app);
      noteOpened();
    },
    stop: () => lifecycle.stop(),
  };
}

function keptHeaders(
  headers: Readonly<Record<string, readonly string[]>>,
): Record<string, string | string[]> {
  const kept: Record<string, string | string[]> = { host: 'localhost' };
  for (const [name, values] of Object.entries(requestHeaders(headers, { isTokenShown: false }))) {
    if (!DROPPED.has(name)) kept[name] = [...values];
  }
  return kept;
}

/** The response headers, except for those of the connection, which node sets itself. */
function pairsOf(raw: readonly string[]): [name: string, value: string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = (raw[at] ?? '').toLowerCase();
    if (!OF_CONNECTION.has(name)) pairs.push([name, raw[at + 1] ?? '']);
  }
  return pairs;
}

async function untilAborted(signal: AbortSignal): Promise<never> {
  signal.throwIfAborted();
  return new Promise((_, reject) => {
    // Every abort reason is an error.
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}
