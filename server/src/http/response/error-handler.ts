import type { ErrorRequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { errorTable } from '../../errors/codes.ts';
import { isServiceError, ServiceError } from '../../errors/service-error.ts';
import { UNREAD_BODY_BYTES } from '../../model/limits/http-limits.ts';
import { writeJson } from './json-writer.ts';
import { contextOf } from '../request/request-context.ts';
import { dropRest } from '../request/unread-body.ts';

/** `Retry-After` in seconds, for requests that may succeed later. */
const RETRY_AFTER_SECONDS = '1';

/** The only handler that turns errors into HTTP responses. It logs unforeseen errors once, with their cause. */
export function createErrorHandler(logger: Logger): ErrorRequestHandler {
  // Express recognises error handlers by their four parameters.
  return (error: unknown, _req, res, _next) => {
    const { requestId, fields } = contextOf(res);
    const known = asServiceError(error);
    if (known.code === 'internal') {
      logger.error({ err: error, request_id: requestId, ...fields }, 'request failed');
    } else if (known.cause !== undefined && errorTable[known.code].status >= 500) {
      logger.warn({ err: known.cause, code: known.code, request_id: requestId }, 'request refused');
    }
    if (res.headersSent || res.destroyed) {
      // A response that has begun cannot report the error.
      const { code } = known;
      if (!res.destroyed)
        logger.warn({ code, request_id: requestId, ...fields }, 'response broken off');
      res.destroy();
      return;
    }
    sendError(res, known, requestId);
  };
}

/** Converts a thrown value to a ServiceError; `internal` with a constant message when it is unforeseen. */
export function asServiceError(error: unknown): ServiceError {
  if (isServiceError(error) && error.code in errorTable) return error;
  if (error instanceof Error) {
    const { status } = error as { status?: unknown }; // express sets it on client errors
    if (typeof status === 'number' && status >= 400 && status < 500) {
      return new ServiceError('invalid_request', 'The request cannot be read.', { cause: error });
    }
  }
  return new ServiceError('internal', errorTable.internal.sentence, { cause: error });
}

/** RFC 6750, 3: an error code is given only when a token was sent. */
function challenge({ details, message }: ServiceError): string {
  if (details['reason'] !== 'invalid_token') return 'Bearer';
  return `Bearer error="invalid_token", error_description="${message}"`;
}

function sendError(res: Response, error: ServiceError, requestId: string): void {
  const row = errorTable[error.code];
  const status = error.status ?? row.status;
  const message = error.code === 'internal' ? row.sentence : error.message;
  const details = error.code === 'internal' ? {} : error.details;
  const body = writeJson(errorBody({ code: error.code, message, details }, requestId));
  if (status === 401) res.setHeader('WWW-Authenticate', challenge(error));
  if (status === 503 || status === 504) res.setHeader('Retry-After', RETRY_AFTER_SECONDS);
  if (error.code === 'wait_elapsed') {
    res.setHeader('Location', `/runs/${String(error.details['run_id'])}`);
  }
  res.statusCode = status;
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  res.setHeader('Content-Length', Buffer.byteLength(body));
  if (res.req.complete) res.end(body);
  else endUnread(res, body, error);
}

/** Responds to a request whose body has not fully arrived and is no longer needed. */
function endUnread(res: Response, body: string, { code }: ServiceError): void {
  const { req } = res;
  const isLarge =
    code === 'payload_too_large' ||
    req.headers['transfer-encoding'] !== undefined ||
    Number(req.headers['content-length']) > UNREAD_BODY_BYTES;
  if (!isLarge && res.getHeader('Connection') !== 'close') {
    res.end(body);
    req.resume(); // the connection's next request follows the rest of the body
    return;
  }
  res.setHeader('Connection', 'close');
  res.write(body);
  contextOf(res).isAnswered = true;
  void dropRest(req).then(() => res.end());
}

/**
 * The body of every HTTP failure (decisions: "body of every HTTP failure"). `invalid_request` always has issues:
 * without specific ones, it has one for the request as a whole.
 */
export function errorBody(
  error: { code: string; message: string; details?: Record<string, unknown> },
  requestId: string,
): Record<string, unknown> {
  const { code, message, details } = error;
  const issues = code === 'invalid_request' ? { issues: [{ path: '', message }] } : {};
  const metadata = { ...issues, ...details, request_id: requestId };
  return { code, message, detail: message, metadata };
}
