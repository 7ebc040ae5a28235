import type { Request, Response } from 'express';
import type { RouteContract } from '../../contract/route.ts';
import type { Tracing } from '../../observability/tracing.ts';
import { contextOf } from './request-context.ts';

/** Statuses that count as failures of the service; client errors do not (OpenTelemetry: HTTP spans, status). */
const FIRST_SERVER_ERROR = 500;

/** Records the request as a span, in the client's trace if it sent one, until its response closes. */
export function traceRequest(
  tracing: Tracing,
  { method, path }: Pick<RouteContract, 'method' | 'path'>,
  req: Request,
  res: Response,
): void {
  const context = contextOf(res);
  const { traceparent, 'user-agent': userAgent } = req.headers;
  const span = tracing.start(`${method.toUpperCase()} ${path}`, {
    kind: 'server',
    isEntry: true,
    parent: typeof traceparent === 'string' ? traceparent : undefined,
    attributes: {
      'http.request.method': req.method,
      'http.route': path,
      'url.path': req.path,
      'user_agent.original': userAgent,
      request_id: context.requestId,
      ...req.params,
    },
  });
  if (span.traceparent === undefined) return;
  context.span = span;
  // The access log line names the trace, so that it can be found from the log.
  context.fields['trace_id'] = span.traceparent.split('-')[1] ?? '';
  res.once('close', () => {
    span.set({ 'http.response.status_code': res.statusCode });
    if (res.statusCode >= FIRST_SERVER_ERROR) span.fail(String(res.statusCode));
    span.end();
  });
}
