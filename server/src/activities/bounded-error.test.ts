import { expect, test } from 'vitest';
import { boundedError } from './bounded-error.ts';

const limits = { errorMessage: 10, errorTraceback: 20 };

test('an error that fits stays as it is', () => {
  const error = { code: 'agent_error', message: 'no', type: 'ValueError', node: 'plan' };
  expect(boundedError(error, limits)).toEqual(error);
});

test('a long message and a long traceback lose their middle, between characters', () => {
  const error = { code: 'agent_error', message: 'äöüäöüäöü', traceback: `a${'b'.repeat(98)}c` };
  expect(boundedError(error, limits)).toEqual({
    code: 'agent_error',
    message: 'äö\n… 8 bytes left out …\nöü',
    traceback: `a${'b'.repeat(9)}\n… 80 bytes left out …\n${'b'.repeat(9)}c`,
  });
});
