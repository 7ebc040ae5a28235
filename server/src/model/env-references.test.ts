import { expect, it } from 'vitest';

import { resolveReferences } from './env-references.ts';

it('resolves references to earlier variables and to those outside', () => {
  const parsed = {
    A: 'one',
    B: '${A}-two',
    OUTER: '${HOME}/x',
    OTHERWISE: '${NONE:-a default}${NONE}${constructor}',
    PLAIN: '$A $5',
    LATER: '${LAST}',
    LAST: 'x',
  };
  expect(resolveReferences(parsed, { HOME: '/home/me', A: 'outer' })).toEqual({
    A: 'one',
    B: 'one-two',
    OUTER: '/home/me/x',
    OTHERWISE: 'a default',
    PLAIN: '$A $5',
    LATER: '',
    LAST: 'x',
  });
});
