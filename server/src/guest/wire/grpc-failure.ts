import { status, type StatusObject } from '@grpc/grpc-js';

import { isServiceError } from '../../errors/service-error.ts';
import type { Logger } from '../port.ts';

/** A refusal with its gRPC status. */
export class Refusal extends Error {
  readonly code: status;

  constructor(code: status, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * The gRPC error that a guest receives: our own errors with their code in the details (`code: sentence`), unexpected
 * ones with a constant sentence; these are logged here with their cause.
 */
export function grpcFailure(
  error: unknown,
  logger: Logger,
  phrase: string,
): Partial<StatusObject> & Error {
  if (error instanceof Refusal) return Object.assign(error, { details: error.message });
  if (isServiceError(error)) {
    const details = `${error.code}: ${error.message}`;
    const isAway = error.code === 'engine_unavailable' || error.code === 'store_unavailable';
    const code = isAway ? status.UNAVAILABLE : status.ABORTED;
    return Object.assign(new Error(details), { code, details });
  }
  logger.error({ err: error }, phrase);
  const details = `${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}.`;
  return Object.assign(new Error(details), { code: status.INTERNAL, details });
}
