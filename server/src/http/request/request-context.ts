import { randomUUID } from 'node:crypto';
import type { RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import type { Principal } from '../../model/principal.ts';
import type { HttpMetrics } from '../../observability/metrics.ts';
import type { TraceSpan } from '../../observability/tracing.ts';

/** What a request carries through the middleware. */
export interface RequestContext {
  requestId: string;
  /** Set once the caller is authenticated. */
  principal?: Principal;
  /** A probe under a name that is none of the service's: what it is told, a page may read. */
  isHostForeign?: boolean;
  /** A page of an origin that is not allowed sends this, so that it may change nothing. */
  isFromForeignPage?: boolean;
  /** The template of the matched route. */
  route?: string;
  /** What it is in a trace, if that is wanted. */
  span?: TraceSpan;
  /** The client has the whole answer, though the response is kept open for what it still sends. */
  isAnswered?: boolean;
  /** Ids for the access line. */
  fields: Record<string, string>;
}

const REQUEST_ID = /^[A-Za-z0-9._:~-]{1,128}$/;

const contexts = new WeakMap<Response, RequestContext>();

/** The context of the request that `res` answers. */
export function contextOf(res: Response): RequestContext {
  const context = contexts.get(res);
  if (!context) throw new Error('the request context middleware did not run');
  return context;
}

/** Gives every request its id and the service's headers, and writes one access line at its end. */
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
