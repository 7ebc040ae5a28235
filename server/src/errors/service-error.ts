import type { ErrorCode } from './codes.ts';

/** What a ServiceError may carry besides its sentence. `details` reach the client, `cause` only the log. */
export interface ServiceErrorOptions {
  details?: Record<string, unknown>;
  cause?: unknown;
  /** The HTTP status, where it is not the code's own: what the agents' own `auth` answers. */
  status?: number;
}

/** The one error class of the service. Branch on `code`, never on text. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;
  readonly details: Record<string, unknown>;
  readonly status?: number;

  constructor(code: ErrorCode, message: string, options: ServiceErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details ?? {};
    if (options.status !== undefined) this.status = options.status;
  }
}

/** True for our own errors, also when they come from another copy of this module. */
export function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && error.name === 'ServiceError' && 'code' in error;
}
