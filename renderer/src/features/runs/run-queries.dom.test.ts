import { expect, test } from 'vitest';
import { isSettled } from './run-queries.ts';

test('nothing more happens by itself in a run that waits, failed, completed or was cancelled', () => {
  const statuses = [
    ...(['pending', 'running', 'cancelling'] as const),
    ...(['interrupted', 'completed', 'error', 'cancelled'] as const),
  ];
  expect(statuses.filter(isSettled)).toEqual(['interrupted', 'completed', 'error', 'cancelled']);
});
