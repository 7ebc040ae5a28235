import type { ErrorRequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import type { ErrorCode } from '../errors/codes.ts';
import { errorTable } from '../errors/codes.ts';
import { isServiceError, ServiceError } from '../errors/service-error.ts';
import { errorBody } from './error-body.ts';
import { writeJson } from './json-writer.ts';
import { contextOf } from './request-context.ts';

/** Seconds after which a request that may succeed later is worth another try. */
const RETRY_AFTER_SECONDS = '1';

/** What express and its body reader throw, as far as the client is to blame. */
const blamedOnClient: Record<string, { code: ErrorCode; message: string }> = {
  'entity.too.large': { code: 'payload_too_large', message: 'The body is too large.' },
  'encoding.unsupported': {
    code: 'unsupported_media_type',
    message: 'The content encoding is not supported.',
  },
  'request.aborted': { code: 'invalid_request', message: 'The body ended too early.' },
  'request.size.invalid': {
    code: 'invalid_request',
    message: 'The body does not have the announced length.',
  },
};

/** The one place that turns errors into HTTP. What is unforeseen is logged here, once, with its cause. */
export function createErrorHandler(logger: Logger): ErrorRequestHandler {
  // Express knows error handlers by their four parameters.
  return (error: unknown, _req, res, _next) => {
    const { requestId, fields } = contextOf(res);
    const known = asServiceError(error);
    if (known.code === 'internal') {
      logger.error({ err: error, request_id: requestId, ...fields }, 'request failed');
    } else if (known.cause !== undefined && errorTable[known.code].status >= 500) {
      logger.warn({ err: known.cause, code: known.code, request_id: requestId }, 'request refused');
    }
    if (res.headersSent || res.destroyed) {
      // An answer that has begun cannot say why it ends here.
      const { code } = known;
      if (!res.destroyed)
        logger.warn({ code, request_id: requestId, ...fields }, 'answer broken off');
      res.destroy();
      return;
    }
    sendError(res, known, requestId);
  };
}

/** Our own error for whatever was thrown; `internal` with a constant message when it is unforeseen. */
export function asServiceError(error: unknown): ServiceError {
  if (isServiceError(error) && error.code in errorTable) return error;
  if (error instanceof Error) {
    const { type, status } = error as { type?: unknown; status?: unknown }; // http-errors' fields
    const blamed = typeof type === 'string' ? blamedOnClient[type] : undefined;
    if (blamed) return new ServiceError(blamed.code, blamed.message, { cause: error });
    if (typeof status === 'number' && status >= 400 && status < 500) {
      return new ServiceError('invalid_request', 'The request cannot be read.', { cause: error });
    }
  }
  return new ServiceError('internal', errorTable.internal.sentence, { cause: error });
}

/** RFC 6750, 3: an error is named only when a token was there. */
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
  res.end(body);
}
