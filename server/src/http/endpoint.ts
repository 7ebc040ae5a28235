import type { IRouter, Request, RequestHandler, Response } from 'express';
import type { z } from 'zod';
import type { Authenticator } from '../auth/authenticator.ts';
import type { RouteContract } from '../contract/route.ts';
import { isServiceError, ServiceError } from '../errors/service-error.ts';
import { refuseForeignPage } from './request/cors.ts';
import type { Idempotency } from '../model/thread/idempotency.ts';
import type { Principal } from '../model/principal.ts';
import { askFor } from '../policy/asking-request.ts';
import { readFor } from '../observability/reading-client.ts';
import type { Tracing } from '../observability/tracing.ts';
import { sendStreamedJson } from './response/streamed-response.ts';
import { type JsonBody, jsonBody } from './request/json-body.ts';
import { isStreamedJson, jsonPieces, writeJson } from './response/json-writer.ts';
import type { Lifecycle } from './server/lifecycle.ts';
import { idempotencyOf } from './request/idempotency-key.ts';
import { parseInput } from './request/parse-input.ts';
import { circumstancesOf, contextOf, requestLineOf } from './request/request-context.ts';
import { traceRequest } from './request/request-trace.ts';

type Parsed<S> = S extends z.ZodType ? z.infer<S> : Record<string, never>;

/** A request to one endpoint, parsed according to its contract. */
export interface EndpointRequest<R extends RouteContract> {
  params: Parsed<R['params']>;
  query: Parsed<R['query']>;
  body: Parsed<R['body']>;
  /** Top-level members of the body as they were sent. */
  members: JsonBody['members'];
  principal: Principal;
  /** Fires when the client is gone or the service stops for good. Created on first access. */
  signal: AbortSignal;
  headers: Request['headers'];
  /** The key that identifies a repeated request. Only for routes that create something. */
  idempotency: Idempotency | undefined;
  res: Response;
}

/** What an endpoint returns. Without a body the response is empty; `undefined` means that it is already written. */
export interface Reply {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

export type EndpointHandler<R extends RouteContract> = (
  request: EndpointRequest<R>,
) => Promise<Reply | undefined> | Reply | undefined;

/** Adds endpoints to a router, with authentication, parsing by the contract, and the response. */
export interface Endpoints {
  on<R extends RouteContract>(contract: R, handler: EndpointHandler<R>): void;
}

/** Makes the object that adds endpoints to an express router. */
export function createEndpoints(options: {
  router: IRouter;
  authenticator: Authenticator;
  readBody: RequestHandler;
  lifecycle: Lifecycle;
  tracing: Tracing;
}): Endpoints {
  const { router, authenticator, readBody, lifecycle, tracing } = options;
  return {
    on<R extends RouteContract>(contract: R, handler: EndpointHandler<R>) {
      const path = contract.path.replaceAll(/\{(\w+)\}/g, ':$1');
      const handle: RequestHandler = async (req, res) => {
        const { principal = noPrincipal, span } = contextOf(res);
        const body = contract.body ? jsonBody(req, contract) : undefined;
        const params = parsed<R['params']>(contract.params, req.params);
        const query = parsed<R['query']>(contract.query, req.query);
        if (contract.changes?.(query) === true) refuseForeignPage(res);
        const idempotency = contract.isIdempotent
          ? idempotencyOf(req, contract, { params, principal })
          : undefined;
        const handle = async (): Promise<Reply | undefined> =>
          handler({
            params,
            query,
            body: parsed<R['body']>(contract.body, body?.value),
            members: body?.members ?? new Map(),
            principal,
            idempotency,
            get signal() {
              return endSignal(res, lifecycle.stopSignal);
            },
            headers: req.headers,
            res,
          });
        const whole = async (): Promise<void> => {
          const reply = await (span === undefined ? handle() : span.run(handle));
          // Sent within the request's context, because a streamed body is read while it is sent.
          if (reply) await send(res, reply);
        };
        const asking = (): Promise<void> => askFor(circumstancesOf(req, res), whole);
        await (isRead(contract) ? readFor(leaving(res), asking) : asking());
      };
      const steps: RequestHandler[] = [handle];
      if (contract.body) steps.unshift(readBody);
      if (!contract.isPublic) steps.unshift(createGate(authenticator, lifecycle));
      steps.unshift((req, res, next) => {
        contextOf(res).route = contract.path;
        if (!contract.isPublic) traceRequest(tracing, contract, req, res);
        next();
      });
      router[contract.method](path, ...steps);
    },
  };
}

function isRead({ method, isRead: isMarked, changes }: RouteContract): boolean {
  return (isMarked ?? method === 'get') && changes === undefined;
}

/** Public endpoints have no caller. */
const noPrincipal: Principal = { sub: '', mroles: [], claims: {} };

/** Authenticates the caller; refuses every request while the service drains. */
export function createGate(authenticator: Authenticator, lifecycle: Lifecycle): RequestHandler {
  return async (req, res, next) => {
    if (lifecycle.isDraining) {
      res.setHeader('Connection', 'close');
      throw new ServiceError('service_stopping', 'The service is stopping.');
    }
    const line = requestLineOf(req);
    contextOf(res).principal = await authenticator.authenticate(req.headersDistinct, line);
    next();
  };
}

function parsed<S>(schema: z.ZodType | undefined, value: unknown): Parsed<S> {
  // Without a schema nothing is parsed, and `Parsed` is the empty object.
  return (schema ? parseInput(schema, value) : {}) as Parsed<S>;
}

const SENT = new ServiceError('invalid_request', 'The response was sent.');

/** Fires when the response is closed, or with `stopSignal` as `service_stopping`. */
export function endSignal(res: Response, stopSignal: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const stop = (): void =>
    controller.abort(new ServiceError('service_stopping', 'The service is stopping.'));
  if (stopSignal.aborted) stop();
  stopSignal.addEventListener('abort', stop, { once: true });
  onClose(res, () => {
    stopSignal.removeEventListener('abort', stop);
    // An abort with an error of its own for every response that was sent would cost its stack trace.
    controller.abort(
      res.writableFinished ? SENT : new ServiceError('invalid_request', 'The client went away.'),
    );
  });
  return controller.signal;
}

/** Fires when the client disconnects before it has its response. */
function leaving(res: Response): AbortSignal {
  const controller = new AbortController();
  onClose(res, () => {
    if (res.writableFinished) return;
    controller.abort(new ServiceError('invalid_request', 'The client went away.'));
  });
  return controller.signal;
}

/** A client may disconnect before its request begins, for example during authentication. */
function onClose(res: Response, act: () => void): void {
  if (res.closed) act();
  else res.once('close', act);
}

/**
 * Whether the request's client is gone, which `on_disconnect: cancel` needs. A stopping service wants its runs to
 * continue at the next start, and a streaming failure does not imply it.
 */
export function hasLeft({ aborted, reason }: AbortSignal): boolean {
  return aborted && !(isServiceError(reason) && reason.code === 'service_stopping');
}

async function send(res: Response, reply: Reply): Promise<void> {
  if (res.destroyed) return;
  res.statusCode = reply.status;
  for (const [name, value] of Object.entries(reply.headers ?? {})) res.setHeader(name, value);
  if (reply.body === undefined) {
    res.end();
    return;
  }
  if (isStreamedJson(reply.body)) {
    await sendStreamedJson(res, jsonPieces(reply.body));
    return;
  }
  const text = writeJson(reply.body);
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  res.setHeader('Content-Length', Buffer.byteLength(text));
  res.end(text);
}
