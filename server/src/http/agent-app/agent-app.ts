/*
 * The manifest's `http.app`: requests that no route of ours takes go to the web guest. `agent-api.ts` is the other
 * direction: the API for clients that agents create without a URL.
 */
import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { Request, RequestHandler, Response } from 'express';
import { ServiceError } from '../../errors/service-error.ts';
import { anonymousPrincipal, fullUserOf } from '../../model/principal.ts';
import { askFor } from '../../policy/asking-request.ts';
import type { PolicyPort } from '../../policy/port.ts';
import { requirePermission } from '../../policy/require-permission.ts';
import { appResource } from '../../policy/resources.ts';
import { responseHeaders, requestHeaders } from './agent-app-headers.ts';
import { endSignal } from '../endpoint.ts';
import { circumstancesOf, contextOf, requestLineOf } from '../request/request-context.ts';
import { drained, STALL_LIMIT_MS } from '../response/streamed-response.ts';
import type { Lifecycle } from '../server/lifecycle.ts';
import { arriving } from '../request/request-body.ts';

/** Maximum of concurrent requests to the app; further ones fail with `guest_unavailable`. */
const REQUESTS_AT_ONCE = 200;

/** The agent folder's own routes: `http.app` of its manifest. */
export interface AgentAppPort {
  /** Calls `respond` as soon as the response begins; rejects with a ServiceError, also while its body arrives. */
  http(
    request: {
      method: string;
      path: string;
      rawPath: string;
      query: string;
      headers: Readonly<Record<string, readonly string[] | undefined>>;
      scheme: 'http' | 'https';
      client: { address: string; port: number };
      user: Record<string, unknown>;
      principal: Record<string, unknown>;
      body: AsyncIterable<Uint8Array>;
    },
    signal: AbortSignal,
    respond: (
      head: { status: number; headers: [name: string, value: string][] },
      body: AsyncIterable<Uint8Array>,
    ) => Promise<void>,
  ): Promise<void>;
}

/**
 * Passes every request that matches no route of the service to the agent folder's own app, if policies permit the call.
 */
export function createAgentApp(options: {
  app: AgentAppPort;
  policy: PolicyPort;
  lifecycle: Lifecycle;
  bodyLimitBytes: number;
  /**
   * Whether the app sees the callers' credentials. False for tokens of an issuer that also give access to the service.
   */
  isTokenShown: boolean;
}): RequestHandler {
  const { app, policy, lifecycle, bodyLimitBytes, isTokenShown } = options;
  let active = 0;
  return async (req, res) => {
    const { principal = anonymousPrincipal } = contextOf(res);
    contextOf(res).route = 'http.app';
    const line = requestLineOf(req);
    refuseUpgrade(req);
    const question = {
      principal,
      operation: 'service:app:call' as const,
      resource: appResource(line.path),
      given: { method: line.method },
    };
    await askFor(circumstancesOf(req, res), () => requirePermission(policy, question));
    if (active >= REQUESTS_AT_ONCE) {
      const message = `The agents' http.app has ${REQUESTS_AT_ONCE} unfinished requests already.`;
      throw new ServiceError('guest_unavailable', message);
    }
    active += 1;
    try {
      const { remoteAddress: address = '', remotePort: port = 0 } = req.socket;
      const request = {
        ...line,
        headers: requestHeaders(req.headersDistinct, { isTokenShown }),
        scheme: (req.socket as Partial<TLSSocket>).encrypted === true ? 'https' : 'http',
        client: { address, port },
        user: fullUserOf(principal.claims),
        principal: principal.claims,
        body: arriving(req, bodyLimitBytes),
      } as const;
      const signal = endSignal(res, lifecycle.stopSignal);
      await app.http(request, signal, (head, body) => write(res, head, body));
    } finally {
      active -= 1;
      if (!req.complete) req.resume(); // an unread rest of the body must not block the connection
    }
  };
}

function refuseUpgrade({ headers }: Request): void {
  if (headers.upgrade?.toLowerCase() !== 'websocket') return;
  const message =
    "WebSockets of the agents' http.app are not served; respond with a stream, such as server-sent events.";
  throw new ServiceError('invalid_request', message);
}

async function write(
  res: Response,
  head: { status: number; headers: [name: string, value: string][] },
  body: AsyncIterable<Uint8Array>,
): Promise<void> {
  if (res.destroyed) return;
  const { status } = head;
  const headers = responseHeaders(head.headers);
  try {
    if (!Number.isInteger(status) || status < 200 || status > 599) {
      throw new Error(`the status ${status} cannot be the status of a response`);
    }
    for (const [name, values] of headers) {
      validateHeaderName(name);
      for (const value of values) validateHeaderValue(name, value);
    }
  } catch (cause) {
    const message = "The agents' http.app returned a response that is not valid HTTP.";
    throw new ServiceError('agent_error', message, { status: 502, cause });
  }
  for (const [name, values] of headers) {
    const [only] = values;
    res.setHeader(name, values.length === 1 && only !== undefined ? only : values);
  }
  res.statusCode = status;
  res.strictContentLength = true; // a response shorter or longer than announced is aborted instead of hanging
  res.write(Buffer.alloc(0)); // sends the head at once; `flushHeaders` would write it in UTF-8
  for await (const part of body) {
    if (res.destroyed) return;
    if (!res.write(part)) await drained(res, STALL_LIMIT_MS);
  }
  if (!res.destroyed) res.end();
}
