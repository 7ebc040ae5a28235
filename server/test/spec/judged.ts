// For every file of the suite: a test fails when one of its exchanges does not match the OpenAPI document.
import { afterEach, inject } from 'vitest';
import { VIOLATIONS_PATH, type Violation } from '../fixtures/judging-front.ts';

afterEach(async () => {
  if (!inject('isJudged')) return;
  const response = await fetch(`${inject('serviceUrl')}${VIOLATIONS_PATH}`);
  const found = (await response.json()) as Violation[]; // what the front gives
  const lines = found.map(({ request, status, location, message }) => {
    return `${request}, ${status}, ${location.join('.')}: ${message}`;
  });
  if (lines.length > 0) throw new Error(`Not as documented:\n${lines.join('\n')}`);
});
