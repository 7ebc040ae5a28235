import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import type { Principal } from '../../model/principal.ts';
import type { HttpMetrics } from '../../observability/metrics.ts';
import type { TraceSpan } from '../../observability/tracing.ts';
import type { AskingContext } from '../../policy/asking-request.ts';
import type { RequestLine } from '../../auth/authenticator.ts';
import { PROTOCOL_BASE } from '../agent-protocol/protocol-route.ts';
import { COMPAT_BASE } from '../compat/compat-route.ts';

/** Data that a request carries through the middleware. */
export interface RequestContext {
  requestId: string;
  /** Set once the caller is authenticated. */
  principal?: Principal;
  /** A probe with a foreign Host header: a web page may be able to read its response. */
  isHostForeign?: boolean;
  /** A page of an origin that is not allowed sends this request, so it may change nothing. */
  isFromForeignPage?: boolean;
  /** The template of the matched route. */
  route?: string;
  /** The request's span, if tracing is on. */
  span?: TraceSpan;
  /** The client has the whole response; it is kept open only to drain the rest of the request. */
  isAnswered?: boolean;
  /** Ids for the access line. */
  fields: Record<string, string>;
}

const REQUEST_ID = /^[A-Za-z0-9._:~-]{1,128}$/;

const contexts = new WeakMap<Response, RequestContext>();

/** The context of the request that `res` belongs to. */
export function contextOf(res: Response): RequestContext {
  const context = contexts.get(res);
  if (!context) throw new Error('the request context middleware did not run');
  return context;
}

/** Gives every request its id and the service's headers, and writes one access log line at its end. */
export function createRequestContext(options: {
  logger: Logger;
  version: string;
  metrics?: Pick<HttpMetrics, 'httpRequests' | 'httpDurationSeconds'>;
}): RequestHandler {
  return (req, res, next) => {
    const startedAt = performance.now();
    const given = req.headers['x-request-id'];
    const requestId = typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
    const context: RequestContext = { requestId, fields: {} };
    contexts.set(res, context);
    res.setHeader('X-Request-Id', requestId);
    res.setHeader('X-Service-Version', options.version);
    const { method, path } = req;
    res.once('close', () => {
      const tookMs = performance.now() - startedAt;
      const labels = { method, route: context.route ?? 'other', status: String(res.statusCode) };
      options.metrics?.httpRequests.inc(labels);
      options.metrics?.httpDurationSeconds.observe(labels, tookMs / 1_000);
      options.logger.info(
        {
          request_id: requestId,
          method,
          path,
          status: res.statusCode,
          duration_ms: Math.round(tookMs * 10) / 10,
          ...(context.principal ? { sub: context.principal.sub } : {}),
          ...(res.writableFinished || context.isAnswered === true ? {} : { aborted: true }),
          ...context.fields,
        },
        'request',
      );
    });
    next();
  };
}

/**
 * The request data that policies see (docs/policy.md). The address is that of the connection: what a client or a proxy
 * claims about other addresses is not trusted.
 */
export function circumstancesOf(req: Request, res: Response): AskingContext {
  const { remoteAddress } = req.socket;
  const { requestId, fields } = contextOf(res);
  const callerRunId = fields['caller_run_id'];
  return {
    method: req.method,
    path: req.path,
    request_id: requestId,
    ...(remoteAddress !== undefined && { remote_address: remoteAddress }),
    ...(callerRunId !== undefined && { caller_run_id: callerRunId }),
  };
}

/**
 * The request line as LangGraph's own server would see it, because handlers of its `Auth` may check the path. The path
 * is the one that routing used, even where the target is a whole URL (RFC 9112, 3.2.2) or has a fragment: otherwise a
 * handler would decide about a different path than the one served.
 */
export function requestLineOf(
  request: Pick<Request, 'method' | 'originalUrl' | 'path'>,
): RequestLine {
  const { method, originalUrl, path } = request;
  const [, query = ''] = /^[^?#]*\?([^#]*)/.exec(originalUrl) ?? [];
  const base = [COMPAT_BASE, PROTOCOL_BASE].find((one) => path.startsWith(`${one}/`)) ?? '';
  const rawPath = path.slice(base.length);
  return { method, path: decoded(rawPath), rawPath, query };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path; // undecoded: no route matches it
  }
}
