import { Metadata, status } from '@grpc/grpc-js';
import { ServiceError, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { expect, it } from 'vitest';
import { isTransient, toServiceError } from './failures.ts';

it('repeats an Update that the worker lost, and none that the thread refused', () => {
  const failed = (type: string): Error => {
    const failure = ApplicationFailure.create({ type, message: 'No.', nonRetryable: true });
    return new WorkflowUpdateFailedError('Workflow Update failed', failure);
  };
  const lost = failed('UnprocessedUpdate'); // what Temporal's server calls it
  expect(isTransient(lost)).toBe(true);
  expect(toServiceError(lost, 'a').code).toBe('engine_unavailable');
  const refused = failed('thread_busy');
  expect(isTransient(refused)).toBe(false);
  expect(toServiceError(refused, 'a').code).toBe('thread_busy');
});

it('asks again when the engine does not know of the worker yet, or a workflow task of the thread failed', () => {
  const details = 'no poller seen for task queue recently, worker may be down';
  const response = Object.assign(new Error(`9 FAILED_PRECONDITION: ${details}`), {
    code: status.FAILED_PRECONDITION,
    details,
    metadata: new Metadata(),
  });
  // As the SDK passes it on.
  const failed = new ServiceError('Failed to query Workflow', { cause: response });
  expect(isTransient(failed)).toBe(true);
  expect(toServiceError(failed, 'a').code).toBe('engine_unavailable');
});
