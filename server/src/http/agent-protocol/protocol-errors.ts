import type { ErrorRequestHandler } from 'express';
import { errorTable } from '../../errors/codes.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { contextOf } from '../request/request-context.ts';
import { asServiceError } from '../response/error-handler.ts';
import { PROTOCOL_BASE } from './protocol-route.ts';

/** The routes whose document has 409. */
const withConflicts = new Set(
  ['/threads', '/runs', '/runs/wait', '/runs/stream'].map((path) => PROTOCOL_BASE + path),
);

/**
 * Errors have the statuses that Agent Protocol's document has: what is wrong with a request is 422, and so is what
 * conflicts with something where the document has no 409. Body and code are those of every error.
 */
export function createProtocolErrors(): ErrorRequestHandler {
  // Express recognises error handlers by their four parameters.
  return (error: unknown, _req, res, next) => {
    const known = asServiceError(error);
    const { code, message, details, cause, status = errorTable[code].status } = known;
    const isDocumented = status === 409 && withConflicts.has(contextOf(res).route ?? '');
    const isWrong = status === 400 || (status === 409 && !isDocumented);
    if (isWrong) next(new ServiceError(code, message, { details, cause, status: 422 }));
    else next(error);
  };
}
