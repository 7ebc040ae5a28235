import type { ErrorRequestHandler } from 'express';
import { ServiceError } from '../../errors/service-error.ts';
import { asServiceError } from '../response/error-handler.ts';

/** MCP, A2A and the streaming protocol of threads have statuses of their own. The path is the one below the base path. */
const withOwnStatuses = /^\/(a2a|mcp)(\/|$)|^\/threads\/[^/]+\/(commands|stream\/events)$/;

/** What is wrong with a request is 422, as under LangGraph's server. Body and code are those of every error. */
export function createWrongRequests(): ErrorRequestHandler {
  // Express recognises error handlers by their four parameters.
  return (error: unknown, req, _res, next) => {
    const { code, message, details, cause } = asServiceError(error);
    if (code !== 'invalid_request' || withOwnStatuses.test(req.path)) next(error);
    else next(new ServiceError(code, message, { details, cause, status: 422 }));
  };
}
