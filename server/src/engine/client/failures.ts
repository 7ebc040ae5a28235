/** The only translator between the engine's errors and ours. */
import { status as GrpcStatus } from '@grpc/grpc-js';
import {
  ActivityNotFoundError,
  isGrpcServiceError,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { errorTable, type ErrorCode } from '../../errors/codes.ts';
import { isServiceError, ServiceError } from '../../errors/service-error.ts';
import { ENGINE_PAYLOAD_BYTES } from '../../model/limits/limits.ts';

const TRANSIENT = new Set<number>([
  GrpcStatus.UNAVAILABLE,
  GrpcStatus.DEADLINE_EXCEEDED,
  GrpcStatus.RESOURCE_EXHAUSTED,
  GrpcStatus.ABORTED,
  GrpcStatus.CANCELLED,
  GrpcStatus.INTERNAL,
  GrpcStatus.UNKNOWN,
  // The engine has not seen the worker for a short time and refuses a query at once ("no poller seen for task queue
  // recently"), or the thread's workflow task fails and is retried.
  GrpcStatus.FAILED_PRECONDITION,
]);

/** True when the same call may succeed shortly after: the engine restarts, or the thread changes executions. */
export function isTransient(error: unknown): boolean {
  if (isServiceError(error)) return error.code === 'engine_unavailable';
  if (isUnprocessed(error)) return true;
  const code = grpcCode(error);
  if (code !== undefined) return TRANSIENT.has(code);
  return error instanceof Error && error.name === 'WorkflowUpdateRPCTimeoutOrCancelledError';
}

/** The worker lost an Update on its way to the thread: the engine accepts it again with the same id. */
function isUnprocessed(error: unknown): boolean {
  if (!(error instanceof WorkflowUpdateFailedError)) return false;
  return error.cause instanceof ApplicationFailure && error.cause.type === 'UnprocessedUpdate';
}

/** True when the engine rejects a request as invalid. */
export function isInvalidArgument(error: unknown): boolean {
  return grpcCode(error) === GrpcStatus.INVALID_ARGUMENT;
}

/** True when the engine rejects our credentials. */
export function isRefused(error: unknown): boolean {
  const code = grpcCode(error);
  return code === GrpcStatus.UNAUTHENTICATED || code === GrpcStatus.PERMISSION_DENIED;
}

/** True when the engine refuses calls for a thread whose workflow task has failed or timed out several times. */
export function isBehind(error: unknown): boolean {
  return grpcCode(error) === GrpcStatus.FAILED_PRECONDITION;
}

/** True when the workflow, or the activity, does not exist. */
export function isGone(error: unknown): boolean {
  return (
    error instanceof WorkflowNotFoundError ||
    error instanceof ActivityNotFoundError ||
    grpcCode(error) === GrpcStatus.NOT_FOUND
  );
}

/** True when a workflow with this id exists already. */
export function isAlreadyStarted(error: unknown): boolean {
  return (
    error instanceof WorkflowExecutionAlreadyStartedError ||
    grpcCode(error) === GrpcStatus.ALREADY_EXISTS
  );
}

/** Our error for an error of the engine about one thread. */
export function toServiceError(error: unknown, threadId: string): ServiceError {
  if (isServiceError(error)) return error;
  if (isGone(error)) {
    return new ServiceError('thread_not_found', `There is no thread ${threadId}.`, {
      cause: error,
    });
  }
  const refusal = error instanceof WorkflowUpdateFailedError ? error.cause : error;
  if (refusal instanceof ApplicationFailure && isErrorCode(refusal.type)) {
    return new ServiceError(refusal.type, refusal.message, { cause: error });
  }
  // Upstream reports a response that is too large as an unknown query: "Blob data size exceeds limit".
  if (error instanceof Error && error.message.includes('size exceeds limit')) {
    const limit = ENGINE_PAYLOAD_BYTES;
    const message = `The thread state is too large to read back: the engine refused the response. Its limit is usually ${limit} bytes.`;
    return new ServiceError('state_too_large', message, { cause: error, details: { limit } });
  }
  if (isTransient(error)) {
    return new ServiceError('engine_unavailable', 'The engine does not respond.', {
      cause: error,
    });
  }
  return new ServiceError('internal', 'The engine returned an error.', { cause: error });
}

function isErrorCode(type: string | null | undefined): type is ErrorCode {
  return typeof type === 'string' && type in errorTable;
}

function grpcCode(error: unknown): number | undefined {
  if (isGrpcServiceError(error)) return error.code;
  const cause = error instanceof Error ? error.cause : undefined;
  return isGrpcServiceError(cause) ? cause.code : undefined;
}
