import { WorkflowUpdateFailedError } from '@temporalio/client';
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
